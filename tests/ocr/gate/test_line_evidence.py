"""The gate on lines: what it takes from an evaluation, and what it says of it."""

from dataclasses import replace

import pytest

from ocr.evaluation.lines.report import LinesReport
from ocr.gate.checks import Verdict
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines
from tests.ocr.gate.scenes import LINE_RULES, judge_lines

TEXTS = [f"{number:04}" for number in range(60)]


def misreading(every: int, *, name: str) -> ScriptedRecogniser:
    def answer(number: int) -> tuple[str, float]:
        return ("????", 0.4) if number % every == 0 else (TEXTS[number], 0.9)

    return ScriptedRecogniser(name=name, answer=answer)


def evaluate(
    candidate: ScriptedRecogniser,
    opponent: ScriptedRecogniser | None = None,
    *,
    required: float | None = None,
) -> LinesReport:
    return evaluate_scripted(
        candidate=candidate, opponent=opponent, samples=lines(TEXTS), required_accuracy=required
    )


def test_accuracy_decides_and_is_named_with_the_opponent() -> None:
    report = evaluate(misreading(10, name="plates:new"), misreading(3, name="plates:old"))

    (reason,) = judge_lines(report).reasons

    assert reason.startswith("It reads better: accuracy 90.0% against 66.7% of plates:old on 60 l")


def test_required_number_is_compared_with() -> None:
    report = evaluate(misreading(10, name="plates:new"), required=0.5)

    (reason,) = judge_lines(report).reasons

    assert reason.startswith("It reads better: accuracy 90.0% against the required 50.0%")


def test_nothing_to_compare_with_leaves_the_floors() -> None:
    report = evaluate(misreading(10, name="plates:new"))

    decision = judge_lines(report, replace(LINE_RULES, min_accuracy=0.99))

    assert decision.verdict == "block"


@pytest.mark.parametrize(("groups", "verdict"), [(15, "hold"), (0, "block")])
def test_a_floor_that_a_few_bad_documents_missed_is_not_proven(
    groups: int, verdict: Verdict
) -> None:
    of_documents = [str(number % groups) for number in range(len(TEXTS))] if groups else []
    report = evaluate_scripted(
        candidate=misreading(5, name="plates:new"), samples=lines(TEXTS, groups=of_documents)
    )

    decision = judge_lines(report, replace(LINE_RULES, min_accuracy=0.92))

    assert report.candidate.metrics.accuracy == 0.8
    assert decision.verdict == verdict


def test_champion_itself_is_recognised_by_its_name() -> None:
    same = misreading(3, name="plates:old")

    decision = judge_lines(evaluate(same, same))

    assert decision.reasons == ["The candidate is plates:old itself."]
