"""What is asked before the first step, with stand-ins for loader, net and exporter."""

import sys
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadInput, TrainingFailed
from training.loop.guards import StopRequest
from training.paddleocr import exporting, measured
from training.paddleocr.measured import Measured
from training.paddleocr.rehearsal import rehearse

ANSWERS = """
import sys
from pathlib import Path

Path(sys.argv[3]).write_text('{"steps": 7}')
"""
EXPORTS = """
from pathlib import Path

for form in ("paddle/inference.json", "paddle/inference.pdiparams",
             "legacy/inference.pdmodel", "legacy/inference.pdiparams"):
    path = Path("rehearsal") / form
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what stands for the tools: one that measures, one that exports."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "measure.py").write_text(ANSWERS)
    (tmp_path / "tools/export_model.py").write_text(EXPORTS)
    (tmp_path / "nothing.py").touch()
    monkeypatch.setattr(measured, "TOOL", tmp_path / "measure.py")
    for ours in ("PORTABLE_UPSAMPLING", "CLASSIC_OPERATORS"):
        monkeypatch.setattr(exporting, ours, str(tmp_path / "nothing.py"))
    return tmp_path


def rehearse_in(tools: Path) -> tuple[Measured, Any]:
    job = TrainPaddleOcrRecogniserJob(
        store="file:///none",
        snapshot="datasets/d/0",
        training=PaddleOcrRecogniserParams(),
        resources=ResourceParams(),
        runtime=PaddleOcrRuntime(home=str(tools), python=sys.executable, tree="t", packages="p"),
    )
    folder = tools / "job"
    folder.mkdir()
    config: dict[str, Any] = {"Global": {}}
    return rehearse(
        job, folder, config=config, stop=StopRequest(), find_spec=lambda path, _: path.name
    )


def test_both_answers_come_of_one_process_and_the_rehearsal_goes(tools: Path) -> None:
    assert rehearse_in(tools) == (Measured(steps=7), "rehearsal")
    assert not (tools / "job/rehearsal").exists()


def test_a_loader_that_fails_is_no_net_that_cannot_be_exported(tools: Path) -> None:
    (tools / "measure.py").write_text("raise KeyError('Backbone')")

    with pytest.raises(
        TrainingFailed,
        match="gave no answer: PaddleOCR's measure ended with status 1: KeyError: 'Ba",
    ):
        rehearse_in(tools)


@pytest.mark.parametrize(
    "script", ["", "raise SystemExit(0)", ANSWERS.replace("7}", ""), f"{ANSWERS[:-3]}[:3])"]
)
def test_a_loader_without_a_whole_answer_failed(tools: Path, script: str) -> None:
    (tools / "measure.py").write_text(script)

    with pytest.raises(TrainingFailed, match=r"loader and net gave no answer: .*exporter"):
        rehearse_in(tools)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("raise SystemExit('no such operator')", "export_model.py ended with status 1: no such op"),
        ("", "exporter left no "),
    ],
)
def test_a_net_that_cannot_be_exported_is_refused(tools: Path, script: str, reason: str) -> None:
    (tools / "tools/export_model.py").write_text(script)

    with pytest.raises(BadInput, match=f"no bundle can be made of .*: .*{reason}"):
        rehearse_in(tools)
