"""Readings of a system that is no version here, as the opponent of a first model."""

import json
import os
from pathlib import Path

import pytest

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from flows import retrain_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import BadData, BadInput
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.models.registry import Registry
from tasks.evaluate import evaluate_pages
from tasks.judging.latency import time_lines
from tasks.measuring.elsewhere import load_line_readings, name_readings
from tasks.workspace import open_workspace
from tests.serving.tiny_pipeline import label_page
from tests.tasks.conftest import NAME, ToyProject
from tests.tasks.test_pages import assemble


def params_of(file: Path) -> LineEvaluationParams:
    return LineEvaluationParams(baseline="readings", baseline_readings=str(file), resamples=200)


def texts_of(project: ToyProject) -> list[str]:
    return list(open_workspace().open_lines(project.dataset.key).values("text", "test"))


def write_readings(project: ToyProject, file: Path, *, misread: int = 0, left_out: int = 0) -> Path:
    """Tell of each test line; so many of them wrongly, and so many not at all."""
    texts = texts_of(project)[left_out:]
    rows = [f"images/{text}.png\t{text}-A" for text in texts[:misread]]
    rows += [f"images/{text}.png\t{text}\t0.5" for text in texts[misread:]]
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


def test_a_first_model_is_compared_line_by_line_with_what_reads_today(
    project: ToyProject, tmp_path: Path
) -> None:
    params = params_of(write_readings(project, tmp_path / "old.txt", misread=5))
    model, count = project.add("v1"), len(texts_of(project))

    evaluation = project.evaluate(model, params)

    report = LinesReport.read(project.registry.store, evaluation.key)
    assert report.opponent is not None
    assert report.comparison is not None
    assert report.opponent.name == "readings in old.txt"
    assert report.opponent.metrics.accuracy == 1 - 5 / count
    assert report.comparison.change == pytest.approx(
        report.candidate.metrics.accuracy - 1 + 5 / count
    )
    assert {line.opponent.confidence for line in report.lines if line.opponent} == {0.5, 1.0}
    workspace = open_workspace()
    latency = time_lines(workspace, evaluation, workspace.open_lines(project.dataset.key))
    assert latency.opponent is None


def test_a_folder_of_results_is_read_as_one_file(project: ToyProject, tmp_path: Path) -> None:
    for text in texts_of(project):
        result = {"input_path": f"images/{text}.png", "rec_text": text, "rec_score": 0.5}
        (tmp_path / f"{text}_res.json").write_text(json.dumps(result))

    evaluation = project.evaluate(project.add("v1"), params_of(tmp_path))

    report = LinesReport.read(project.registry.store, evaluation.key)
    assert report.opponent is not None
    assert report.opponent.metrics.accuracy == 1.0


def test_the_same_readings_are_found_and_others_are_measured(
    project: ToyProject, tmp_path: Path
) -> None:
    params, model = params_of(tmp_path / "old.txt"), project.add("v1")

    write_readings(project, tmp_path / "old.txt", misread=5)
    first, again = project.evaluate(model, params), project.evaluate(model, params)
    write_readings(project, tmp_path / "old.txt", misread=6)
    other = project.evaluate(model, params)

    assert first == again
    assert first.key != other.key


def test_a_file_that_changes_between_its_name_and_its_reading_is_not_taken(
    project: ToyProject, tmp_path: Path
) -> None:
    params = params_of(write_readings(project, tmp_path / "old.txt"))
    reader = name_readings(params)
    write_readings(project, tmp_path / "old.txt", misread=1)

    with pytest.raises(BadData, match="changed while it was compared with; run again"):
        load_line_readings(reader, params, open_workspace().open_lines(project.dataset.key))


def test_with_a_champion_what_read_before_is_not_asked_for(
    project: ToyProject, tmp_path: Path
) -> None:
    project.add("v1")
    project.promote("v1")

    evaluation = project.evaluate(project.add("v2"), params_of(tmp_path / "gone.txt"))

    assert evaluation.opponent == f"{NAME}:v1"


@pytest.mark.parametrize("content", ["", "gone.png\tA\n"])
def test_the_first_champion_is_measured_again_without_what_read_before_it(
    content: str, project: ToyProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_readings(project, tmp_path / "old.txt", misread=5)
    params, model = params_of(file), project.add("v1")
    first = project.evaluate(model, params)
    project.promote("v1")
    assert project.evaluate(model, params).key == first.key
    file.unlink()
    if content:
        file.write_text(content)

    evaluation = project.evaluate(model, params)

    assert evaluation.opponent == "none"
    assert "old.txt" in capsys.readouterr().err.rpartition("; the first champion is compared")[0]
    assert LinesReport.read(project.registry.store, evaluation.key).comparison is None


def start(project: ToyProject, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Run a retraining up to its training, which is none."""
    given = ["evaluation.baseline=readings", f"evaluation.baseline_readings={file}"]
    given += ["deployment.target=none"]  # whoever listens at 8868
    params = load_params("smoke", overrides=given)
    assert isinstance(params, RetrainLinesParams)
    monkeypatch.setattr(retrain_lines, "sweep_leftovers", lambda: None)
    monkeypatch.setattr(retrain_lines, "prepare_lines", lambda *_: project.dataset)
    monkeypatch.setattr(retrain_lines, "prepare_further_lines", lambda *_: {})
    monkeypatch.setattr(retrain_lines, "smoke_recogniser", lambda *_: pytest.fail("it began"))
    retrain_lines.retrain_lines.fn(params)


def test_a_missing_file_ends_a_run_before_it_prepares(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=r"baseline_readings: '.*gone.txt' cannot be read: No such"):
        start(project, monkeypatch, tmp_path / "gone.txt")


@pytest.mark.parametrize("name", ["pipe", "zero"])
def test_what_never_ends_is_no_file_of_readings(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")

    with pytest.raises(BadInput, match=rf"baseline_readings: '.*{name}' is no plain file"):
        name_readings(params_of(tmp_path / name))


def test_an_image_that_nothing_is_told_of_ends_a_run_before_it_learns(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = write_readings(project, tmp_path / "old.txt", left_out=1)
    missed = texts_of(project)[0]

    with pytest.raises(BadData, match=rf"read of 1 of \d+ test images, such as '{missed}.png'"):
        start(project, monkeypatch, file)


def test_a_first_pipeline_is_compared_with_the_pages_that_are_read_today(
    registry: Registry, pages: SnapshotRef, tmp_path: Path
) -> None:
    workspace = open_workspace()
    samples = list(workspace.open_pages(pages.key).samples("test"))
    told = {sample.image: [region.text for region in sample.regions] for sample in samples}
    rows = [f"{image}\t{label_page([texts[0][::-1], *texts[1:]])}" for image, texts in told.items()]
    file = tmp_path / "system_results.txt"
    file.write_text("\n".join(rows))
    params = PageEvaluationParams(baseline="readings", baseline_readings=str(file), resamples=200)

    evaluation = evaluate_pages.fn(assemble(pages), pages, params)

    report = PagesReport.read(registry.store, evaluation.key)
    assert report.opponent is not None
    assert report.opponent.metrics.hmean == 1.0
    assert 0 < report.opponent.metrics.e2e_hmean < 1.0 == report.candidate.metrics.e2e_hmean
