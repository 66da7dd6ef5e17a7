"""What an engine needs is looked for before anything is done."""

import os
import sys
from pathlib import Path
from typing import get_args

import pytest

from configs.deployment import DeploymentParams, Target
from configs.paddleocr import (
    ENGINES,
    PaddleOcrDetectorParams,
    PaddleOcrRecogniserParams,
    Training,
    TrainingField,
)
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from configs.settings import Settings, SettingsError
from configs.training import RecogniserTrainingParams, ResourceParams
from flows.retrain_lines import retrain_lines
from ocr.errors import BadInput
from serving.settings import Engine
from tasks.engine import check_engine, check_name, find_runtime, fit_to_server
from tasks.train import JOBS
from tests.serving.conftest import make_shelf
from tests.serving.tiny_bundle import DIGITS

SMALL = PaddleOcrRecogniserParams().net


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree and an interpreter, named by the environment."""
    for name in ("tools/train.py", "tools/export_model.py", SMALL, "ppocr/a.py"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.setenv("PADDLEOCR_HOME", str(tmp_path / "tree"))
    monkeypatch.setenv("OCRLINE_PADDLEOCR_PYTHON", sys.executable)
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    return tmp_path


def test_the_job_names_what_the_environment_names(machine: Path) -> None:
    runtime = find_runtime()

    assert (runtime.home, runtime.python) == (
        str(machine / "tree"),
        os.environ["OCRLINE_PADDLEOCR_PYTHON"],
    )
    check_engine(ResourceParams(), {"training": PaddleOcrRecogniserParams()})


def test_the_embedded_engine_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PADDLEOCR_HOME", raising=False)

    check_engine(ResourceParams(), {"training": RecogniserTrainingParams()})


@pytest.mark.parametrize(
    ("target", "engine", "expected"),
    [
        ("gateway", "onnxruntime", True),
        ("none", "onnxruntime", True),
        ("paddle-serving", "onnxruntime", False),
        ("gateway", "paddle", False),
    ],
)
def test_nothing_is_quantised_for_what_reads_float32(
    target: Target, engine: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_ENGINE", engine)
    training = RecogniserTrainingParams(int8=True)

    assert fit_to_server(training, DeploymentParams(target=target)).int8 is expected
    assert not fit_to_server(RecogniserTrainingParams(), DeploymentParams(target=target)).int8


def test_a_run_without_the_tree_ends_before_it_prepares_anything(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PADDLEOCR_HOME")
    params = load_params("plates-ppocr", overrides=["dataset.root=/nowhere"])
    assert isinstance(params, RetrainLinesParams)

    with pytest.raises(
        BadInput, match="PADDLEOCR_HOME names no source tree of PaddleOCR; get one: g"
    ):
        retrain_lines.fn(params, "train")


@pytest.mark.parametrize(
    ("field", "training", "expected"),
    [
        (
            "training",
            PaddleOcrRecogniserParams(net="/mine.yml"),
            "training.net: '/mine.yml' is not",
        ),
        ("recogniser", PaddleOcrRecogniserParams(net="configs/rec/b.yml"), "recogniser.net: Pad"),
        ("detector", PaddleOcrDetectorParams(net="pp-ocrv5-mobile"), "tree has no configs/det/PP"),
    ],
)
def test_a_net_that_is_not_in_the_tree_is_told_before_anything_is_prepared(
    machine: Path, field: TrainingField, training: Training, expected: str
) -> None:
    with pytest.raises(BadInput, match=expected):
        check_engine(ResourceParams(), {field: training})


def test_every_engine_of_every_net_has_a_job_that_takes_its_parameters() -> None:
    known = {params for engines in ENGINES.values() for params in engines.values()}

    assert JOBS.keys() == known
    for params, job in JOBS.items():
        assert job.model_fields["training"].annotation is params


def test_a_run_knows_the_engines_that_a_gateway_knows_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for engine in get_args(Engine):
        monkeypatch.setenv("OCRLINE_ENGINE", engine)
        assert Settings().engine == engine

    monkeypatch.setenv("OCRLINE_ENGINE", "tensorrt")
    with pytest.raises(SettingsError, match="OCRLINE_ENGINE='tensorrt'"):
        Settings()


def test_a_name_of_the_other_kind_is_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    shelf = make_shelf(tmp_path)
    shelf.add("v1", DIGITS)

    check_name("bars", "recognition")
    check_name("new", "pipeline")
    with pytest.raises(BadInput, match="'bars' is a model for recognition already"):
        check_name("bars", "pipeline")


def test_what_else_an_earlier_release_registered_under_a_name_keeps_no_champion_from_a_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    shelf = make_shelf(tmp_path)
    shelf.add_pages("a", DIGITS, name="bars")
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")

    check_name("bars", "recognition")
    with pytest.raises(BadInput, match="'bars' is a model for recognition already"):
        check_name("bars", "pipeline")
