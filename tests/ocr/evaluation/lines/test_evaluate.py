from dataclasses import replace

import pytest

from ocr.errors import BadData
from ocr.evaluation.lines.evaluate import pair_lines
from ocr.evaluation.lines.report import LinesReport
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines

TEXTS = [f"{number:04}" for number in range(60)]


def misreading(every: int, *, name: str) -> ScriptedRecogniser:
    def answer(number: int) -> tuple[str, float]:
        return ("????", 0.4) if number % every == 0 else (TEXTS[number], 0.9)

    return ScriptedRecogniser(name=name, answer=answer)


def evaluate(**changes: object) -> LinesReport:
    arguments = {
        "candidate": misreading(10, name="plates:new"),
        "opponent": misreading(3, name="plates:old"),
        "samples": lines(TEXTS),
        "resamples": 300,
    }
    return evaluate_scripted(**{**arguments, **changes})  # type: ignore[arg-type]


def test_both_models_are_measured_on_the_same_lines() -> None:
    report = evaluate()

    assert report.candidate.metrics.accuracy == pytest.approx(0.9)
    assert report.opponent is not None
    assert report.opponent.metrics.accuracy == pytest.approx(2 / 3)
    assert report.comparison is not None
    assert (report.comparison.gained, report.comparison.lost) == (18, 4)
    assert [line.id for line in report.lines] == [sample.id for sample, _ in lines(TEXTS)]
    assert report.lines[10].lost
    assert report.lines[3].gained


@pytest.mark.parametrize("batch_size", [1, 7, 60, 100])
def test_readings_stay_with_their_lines_whatever_the_batch(batch_size: int) -> None:
    report = evaluate(batch_size=batch_size)

    assert report.lines == evaluate().lines


def test_intervals_contain_their_metrics() -> None:
    report = evaluate()

    assert report.candidate.intervals.keys() >= {"accuracy", "ned", "cer"}
    for interval in report.candidate.intervals.values():
        assert 0 <= interval.lower <= interval.value <= interval.upper


def test_faultless_model_is_not_reported_as_certain() -> None:
    report = evaluate(candidate=misreading(1000, name="new"), samples=lines(TEXTS)[1:])

    assert report.candidate.intervals["accuracy"].upper == 1.0
    assert report.candidate.intervals["accuracy"].lower < 0.95


def test_report_survives_its_json() -> None:
    report = evaluate(samples=lines(TEXTS, groups=["one document"] * 60))

    assert LinesReport.from_json(report.to_json()) == report


def test_number_stands_in_for_an_opponent() -> None:
    report = evaluate(opponent=None, required_accuracy=0.5)

    assert report.opponent is None
    assert report.comparison is not None
    assert report.comparison.change == pytest.approx(0.4)


def test_nothing_to_compare_with_is_no_comparison() -> None:
    assert evaluate(opponent=None).comparison is None


def test_two_are_compared_by_the_draws_of_the_first() -> None:
    ours = evaluate(opponent=None)
    theirs = evaluate(candidate=misreading(3, name="plates:old"), opponent=None)

    bounds = {
        pair_lines(replace(ours, **draws), theirs).comparison.lower  # type: ignore[arg-type,union-attr]
        for draws in ({}, {"seed": 7}, {"resamples": 20})
    }

    assert len(bounds) == 3


def test_other_lines_are_beside_nothing() -> None:
    ours = evaluate(opponent=None)
    theirs = evaluate(candidate=misreading(3, name="plates:old"), opponent=None)

    with pytest.raises(BadData, match="candidate and opponent read different samples"):
        pair_lines(ours, replace(theirs, lines=theirs.lines[::-1]))


def test_empty_test_split_is_bad_data() -> None:
    with pytest.raises(BadData, match="test split is empty"):
        evaluate(samples=[])
