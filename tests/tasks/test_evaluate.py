"""What a candidate is measured beside, and that the same is measured once."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from configs.evaluation import LineEvaluationParams
from ocr.errors import ArtifactNotFound
from ocr.evaluation.lines.evaluate import pair_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.reading.cores import Cores
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.readers import load_recogniser
from tasks.references import EvaluationRef
from tasks.workspace import Workspace, open_workspace
from tests.tasks.conftest import ToyProject


def read_report(project: ToyProject, evaluation: EvaluationRef) -> LinesReport:
    return LinesReport.from_json(project.registry.store.read_bytes(f"{evaluation.key}/report.json"))


def test_without_a_champion_it_is_the_baseline(project: ToyProject) -> None:
    params = LineEvaluationParams(baseline="number", baseline_accuracy=0.4, resamples=200)

    evaluation = project.evaluate(project.add("v1"), params)

    comparison = read_report(project, evaluation).comparison
    assert (evaluation.opponent, evaluation.champion) == ("number", None)
    assert comparison is not None
    assert comparison.opponent == 0.4


def test_without_a_champion_it_may_be_a_version_of_another_model(project: ToyProject) -> None:
    project.add("v0")
    params = LineEvaluationParams(baseline="bundle", baseline_bundle="toy:v0", resamples=200)

    evaluation = project.evaluate(project.add("v1"), params)

    assert (evaluation.opponent, evaluation.champion) == ("toy:v0", None)


def test_baseline_that_is_not_there_is_named(project: ToyProject) -> None:
    model = project.add("v1")

    with pytest.raises(ArtifactNotFound, match="gone"):
        project.evaluate(model, LineEvaluationParams(baseline="bundle", baseline_bundle="gone:v0"))


def test_with_a_champion_it_is_that(project: ToyProject) -> None:
    project.add("v1")
    project.promote("v1")

    evaluation = project.evaluate(project.add("v2"))

    assert (evaluation.opponent, evaluation.champion) == ("toy:v1", "v1")


def test_the_first_champion_itself_meets_the_baseline(project: ToyProject) -> None:
    model = project.add("v1")
    project.promote("v1")

    evaluation = project.evaluate(model)

    assert (evaluation.opponent, evaluation.champion) == ("none", "v1")


def test_same_candidate_and_opponent_are_measured_once(project: ToyProject) -> None:
    project.add("v1")
    project.promote("v1")
    model = project.add("v2")
    before = project.evaluate(model)
    project.promote("v2")

    after = project.evaluate(model)

    assert (before.champion, after.champion) == ("v1", "v2")
    assert after.key == before.key
    assert read_report(project, after).candidate.metrics.accuracy == 1


def test_a_champion_whose_predecessor_was_erased_meets_the_baseline(project: ToyProject) -> None:
    project.add("v1")
    project.promote("v1")
    model = project.add("v2")
    project.promote("v2")
    store = project.registry.store
    for key in list(store.list("models/toy/v1")):
        store.remove(key)

    evaluation = project.evaluate(model)

    assert (evaluation.opponent, evaluation.champion) == ("none", "v2")


def test_a_baseline_that_nobody_meets_measures_nothing_anew(project: ToyProject) -> None:
    project.add("v1")
    project.promote("v1")
    model = project.add("v2")
    before = project.evaluate(model)
    params = LineEvaluationParams(baseline="number", baseline_accuracy=0.4, resamples=200)

    after = project.evaluate(model, params)

    assert after.key == before.key


def test_lines_are_read_on_all_cores(project: ToyProject, monkeypatch: pytest.MonkeyPatch) -> None:
    lent: list[int] = []

    def load(workspace: Workspace, reference: str, *, cores: Cores) -> OnnxRecogniser:
        lent.append(cores.count)
        return load_recogniser(workspace, reference, cores=cores)

    monkeypatch.setattr("tasks.evaluate.count_processors", lambda: 3)
    monkeypatch.setattr("tasks.readers.load_recogniser", load)

    project.evaluate(project.add("v1"))

    assert lent == [3]


def test_what_was_seen_in_training_is_counted(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Mapping[str, int]] = []

    def pair(ours: LinesReport, theirs: None, **known: Any) -> LinesReport:
        counted.append(known["training_counts"])
        return pair_lines(ours, theirs, **known)

    monkeypatch.setattr("tasks.evaluate.pair_lines", pair)

    project.evaluate(project.add("v1"))

    train = open_workspace().open_lines(project.dataset.key).samples("train")
    assert counted == [Counter("".join(sample.text for sample in train))]


def test_images_are_read_where_they_are_stored(project: ToyProject) -> None:
    evaluation = project.evaluate(project.add("v1"))

    assert read_report(project, evaluation).candidate.metrics.n == project.dataset.counts["test"]
    assert not list(open_workspace().home.rglob("*.tar"))


def test_of_two_machines_at_once_the_first_report_counts(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = project.add("v1")
    loaded: list[str] = []
    firsts: list[EvaluationRef] = []

    def load(workspace: Workspace, reference: str, **more: Any) -> OnnxRecogniser:
        loaded.append(reference)
        if len(loaded) == 1:  # another machine starts and ends while this one measures
            with monkeypatch.context() as other:
                other.setenv("OCRLINE_HOME", str(tmp_path / "other"))
                firsts.append(project.evaluate(model))
        return load_recogniser(workspace, reference, **more)

    monkeypatch.setattr("tasks.readers.load_recogniser", load)

    assert [project.evaluate(model)] == firsts
    assert len(loaded) == 2
