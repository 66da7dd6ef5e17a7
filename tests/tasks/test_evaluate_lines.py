"""Whom a candidate is measured against."""

from dataclasses import dataclass

import pytest

from configs.evaluation import LineEvaluationParams
from ocr.errors import ArtifactNotFound
from ocr.evaluation.lines.report import LinesReport
from tasks.references import EvaluationRef
from tests.tasks.conftest import ToyLine


def read_report(line: ToyLine, evaluation: EvaluationRef) -> LinesReport:
    return LinesReport.from_json(line.registry.store.read_bytes(f"{evaluation.key}/report.json"))


def test_without_a_champion_it_is_the_baseline(line: ToyLine) -> None:
    params = LineEvaluationParams(baseline="number", baseline_accuracy=0.4, resamples=200)

    evaluation = line.evaluate(line.add("v1"), params)

    comparison = read_report(line, evaluation).comparison
    assert (evaluation.opponent, evaluation.champion) == ("number", None)
    assert comparison is not None
    assert comparison.baseline == 0.4


def test_without_a_champion_it_may_be_a_version_of_another_model(line: ToyLine) -> None:
    line.add("v0")
    params = LineEvaluationParams(baseline="bundle", baseline_bundle="toy:v0", resamples=200)

    evaluation = line.evaluate(line.add("v1"), params)

    assert (evaluation.opponent, evaluation.champion) == ("toy:v0", None)


def test_baseline_that_is_not_there_is_named(line: ToyLine) -> None:
    model = line.add("v1")

    with pytest.raises(ArtifactNotFound, match="gone"):
        line.evaluate(model, LineEvaluationParams(baseline="bundle", baseline_bundle="gone:v0"))


@dataclass(frozen=True)
class Case:
    """Moves of the champion, a candidate, and whom it should meet."""

    promoted: tuple[str, ...]
    candidate: str
    opponent: str


CASES = {
    "another champion": Case(("v1",), "v2", "toy:v1"),
    "the champion itself": Case(("v1", "v2"), "v2", "toy:v1"),
    "the first champion itself": Case(("v1",), "v1", "none"),
    "the champion itself, back after a rollback": Case(("v1", "v2", "v3", "back"), "v2", "toy:v1"),
    "an earlier champion": Case(("v1", "v2"), "v1", "toy:v2"),
    "the champion itself, promoted twice": Case(("v1", "v2", "v3", "v2"), "v2", "toy:v3"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_with_a_champion_it_is_that_or_what_it_was_promoted_over(line: ToyLine, case: Case) -> None:
    models = {version: line.add(version) for version in ("v1", "v2", "v3")}
    for version in case.promoted:
        if version == "back":
            line.rollback()
        else:
            line.promote(version)

    evaluation = line.evaluate(models[case.candidate])

    champion = line.registry.champion("toy")
    assert champion is not None
    assert (evaluation.opponent, evaluation.champion) == (case.opponent, champion.version)


def test_same_candidate_and_opponent_are_measured_once(line: ToyLine) -> None:
    line.add("v1")
    line.promote("v1")
    model = line.add("v2")
    before = line.evaluate(model)
    line.promote("v2")

    after = line.evaluate(model)

    assert (before.champion, after.champion) == ("v1", "v2")
    assert after.key == before.key
    assert read_report(line, after).candidate.metrics.accuracy == 1
