"""A baseline that cannot read is refused before anything is trained."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from flows import retrain_lines, retrain_pages
from flows.stages import Stage
from ocr.errors import ArtifactNotFound, BadInput
from ocr.models.registry import Registry
from tasks.measuring.baseline import check_baseline, identify
from tasks.workspace import open_workspace
from tests.tasks.conftest import ToyProject


def bundle(kind: type, reference: str) -> LineEvaluationParams | PageEvaluationParams:
    found = kind(baseline="bundle", baseline_bundle=reference)
    assert isinstance(found, LineEvaluationParams | PageEvaluationParams)
    return found


@pytest.mark.parametrize("kind", [LineEvaluationParams, PageEvaluationParams])
def test_a_misspelt_bundle_is_named_beside_those_there_are(registry: Registry, kind: type) -> None:
    for reference, said in (
        ("pages-recognizer", "Nothing is 'pages-recognizer' .* pages-detector, pages-recogniser"),
        ("pages-recogniser:r9", "No version 'r9' of 'pages-recogniser' .* known: r1, r2"),
    ):
        with pytest.raises(ArtifactNotFound, match=said):
            check_baseline(bundle(kind, reference), "pages")


@pytest.mark.parametrize(
    ("kind", "reference", "said"),
    [
        (LineEvaluationParams, "pages-detector:d1", "d1 does detection, expected recognition"),
        (PageEvaluationParams, "pages-recogniser:r1", "r1 does recognition, expected pipeline"),
    ],
)
def test_a_bundle_that_does_something_else_is_refused(
    registry: Registry, kind: type, reference: str, said: str
) -> None:
    with pytest.raises(BadInput, match=rf"evaluation\.baseline_bundle: .*{said}"):
        check_baseline(bundle(kind, reference), "pages")


@pytest.mark.parametrize("baseline", ["rapidocr", "tesseract", "paddleocr"])
def test_a_baseline_that_is_not_installed_is_refused(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, baseline: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr("sys.executable", "/bin/false")  # what starts PaddleOCR's process

    with pytest.raises(BadInput, match=rf"Baseline (paddleocr )?{baseline}"):
        check_baseline(LineEvaluationParams.model_validate({"baseline": baseline}), "toy")


@pytest.mark.usefixtures("project")
def test_tesseract_with_other_language_data_reads_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, data = tmp_path / "tesseract", tmp_path / "eng.traineddata"
    listing = f'List of available languages in "{tmp_path}/" (1):\\neng\\n'
    program.write_text(
        f"#!/bin/sh\n[ $1 = --version ] && echo 'tesseract 5.9' || printf '{listing}'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    data.write_bytes(b"fast")
    fast = identify(open_workspace(), "tesseract")
    data.write_bytes(b"best")
    best = identify(open_workspace(), "tesseract")

    assert fast[0] == best[0] == "tesseract 5.9 (eng)"
    assert fast[1] != best[1]


def test_with_a_champion_nobody_stands_in_for_it(project: ToyProject) -> None:
    project.add("v1")
    project.promote("v1")

    check_baseline(bundle(LineEvaluationParams, "gone"), "toy")


@pytest.mark.parametrize(
    ("flow", "preset"), [(retrain_lines, "smoke"), (retrain_pages, "smoke-pages")]
)
def test_a_run_ends_before_its_dataset_is_prepared(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, flow: object, preset: str
) -> None:
    monkeypatch.setattr(flow, "sweep_leftovers", lambda: None)  # without Prefect's server
    given = ["evaluation.baseline=bundle", "evaluation.baseline_bundle=gone:v1"]
    given += ["deployment.target=none"]  # whoever listens at 8868
    (run,) = (
        getattr(flow, name) for name in ("retrain_lines", "retrain_pages") if hasattr(flow, name)
    )

    with pytest.raises(ArtifactNotFound, match="'v1' of 'gone'"):
        run.fn(load_params(preset, overrides=given))

    assert not list(registry.store.list("datasets"))


@pytest.mark.parametrize("until", ["prepare", "train", "export"])
def test_a_run_that_ends_before_it_evaluates_needs_no_baseline(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, until: Stage
) -> None:
    given = ["evaluation.baseline=bundle", "evaluation.baseline_bundle=gone:v1"]
    for name in ("prepare_lines", "prepare_further_lines", "train_recogniser", "export_recogniser"):
        monkeypatch.setattr(retrain_lines, name, lambda *_, made=name: made)
    monkeypatch.setattr(retrain_lines, "sweep_leftovers", lambda: None)
    params = load_params("smoke", overrides=given)
    assert isinstance(params, RetrainLinesParams)

    made = retrain_lines.retrain_lines.fn(params, until)

    assert made.startswith(until)
