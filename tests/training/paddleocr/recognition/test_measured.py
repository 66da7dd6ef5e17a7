"""PaddleOCR's own loader and net, asked for real what they make of a line while they learn."""

from pathlib import Path

import pytest

from configs.jobs import TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import BadData
from tests.paddleocr_tree import find_runtime
from tests.training.recognition.toy_lines import make_line_snapshot
from tests.training.running import start
from training.loop.guards import StopRequest
from training.loop.progress import read_events
from training.paddleocr.measured import Measured, ask_measured, read_measured
from training.paddleocr.recognition.trainee import RecogniserTrainee
from training.paddleocr.tool.process import run_aside

TEXTS = {
    "train": ["1" * 15, *(f"{number:04}" for number in range(1234, 1257))],
    "val": ["5678"],
    "test": ["9"],
}
SMALL = "configs/rec/rec_mv3_none_none_ctc.yml"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_line_snapshot(tmp_path_factory.mktemp("lines"), texts=TEXTS)


def job_of(lines: dict[str, str], *, net: str, width_px: int) -> TrainPaddleOcrRecogniserJob:
    return TrainPaddleOcrRecogniserJob(
        **lines,
        training=PaddleOcrRecogniserParams(net=net, batch_size=8, width_px=width_px),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )


def test_a_net_that_pools_while_it_learns_is_asked_as_it_learns(
    lines: dict[str, str], tmp_path: Path
) -> None:
    job = job_of(lines, net="pp-ocrv4-mobile", width_px=160)
    config = RecogniserTrainee(job, tmp_path).prepare()

    question = ask_measured(job, tmp_path, config=config)
    run_aside(job, [question], log=tmp_path / "measured.log", stop=StopRequest())

    (notice,) = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert notice.startswith("not as pp-ocrv4-mobile has it: training.epochs 20 (200 there), ")
    # Heights of 32, 48 and 64 px take turns with 8, 5 and 4 lines a batch. It reads with 20 frames.
    assert read_measured(tmp_path) == Measured(steps=6, frames=40, frames_if_twice_as_wide=40)


def test_lines_that_could_never_be_learnt_are_refused_before_the_training(
    lines: dict[str, str], tmp_path: Path
) -> None:
    job = job_of(lines, net=SMALL, width_px=112)
    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    with start(tmp_path / "job.json", command="train-paddleocr-recogniser") as process:
        _, errors = process.communicate(timeout=500)

    assert process.returncode == BadData.exit_code
    assert (
        "1 of 24 texts of the train split, such as '111111111111111', would never be learnt"
        in errors
    )
    assert "need up to 29 frames" in errors
    assert "a line of 112 px (training.width_px) 28; set training.width_px to 128 or more" in errors
    assert not (tmp_path / "trainer.log").exists()
