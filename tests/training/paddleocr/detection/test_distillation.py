"""A detector that a net with weights teaches, for real: the teacher stays, the student learns."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrDetectorJob
from configs.paddleocr import PaddleOcrDetectorParams
from configs.training import ResourceParams
from ocr.store.whole import sha256_of
from tests.paddleocr_tree import find_runtime
from tests.training.detection.toy_pages import make_page_snapshot
from tests.training.paddleocr.teacher import make_teacher
from tests.training.running import run
from training.paddleocr.detection.config import read_upstream
from training.paddleocr.pretrained.fit_tool import read_arrays

NET = "configs/det/ch_PP-OCRv2/ch_PP-OCRv2_det_distill.yml"
STATISTICS = ("._mean", "._variance")
"""Of batch norms, which go on with what they see, as PaddleOCR has it."""

pytestmark = pytest.mark.timeout(900)


def read_weights(path: Path) -> dict[str, np.ndarray]:
    with path.open("rb") as file:
        return read_arrays(file)


@pytest.fixture(scope="module")
def runtime() -> PaddleOcrRuntime:
    return find_runtime()


@pytest.fixture(scope="module")
def teacher(runtime: PaddleOcrRuntime, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = read_upstream(Path(runtime.home), NET)
    return make_teacher(runtime, tmp_path_factory.mktemp("teacher"), config)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    return make_page_snapshot(folder, counts={"train": 4, "val": 1, "test": 1})


def train(
    folder: Path,
    runtime: PaddleOcrRuntime,
    pages: dict[str, str],
    teacher: Path,
    *,
    pretrained: Path | None = None,
) -> tuple[int, str]:
    job = TrainPaddleOcrDetectorJob(
        **pages,
        training=PaddleOcrDetectorParams(
            net=NET,
            teacher=str(teacher),
            teacher_sha256=sha256_of(teacher),
            pretrained=str(pretrained or ""),
            pretrained_sha256=sha256_of(pretrained) if pretrained else "",
            epochs=1,
            batch_size=2,
            evaluations=1,
            long_side_px=128,
            crop_height_px=64,
            crop_width_px=64,
        ),
        resources=ResourceParams(),
        runtime=runtime,
    )
    (folder / "job.json").write_text(job.model_dump_json(), encoding="utf-8")
    return run(folder / "job.json", command="train-paddleocr-detector")


def test_a_teacher_stays_as_it_is_while_the_student_learns(
    runtime: PaddleOcrRuntime, pages: dict[str, str], teacher: Path, tmp_path: Path
) -> None:
    own, both = read_weights(teacher), tmp_path / "both.pdparams"
    others = {f"Teacher.{name}": np.full_like(own[name], 7) for name in own}
    others["Student.backbone.conv.conv.weight"] = np.ones((8, 3, 3, 3), np.float32)
    both.write_bytes(pickle.dumps(others))

    code, errors = train(tmp_path, runtime, pages, teacher, pretrained=both)

    assert code == 0, errors
    learnt = read_weights(tmp_path / "output/latest.pdparams")
    parameters = [name for name in own if not name.endswith(STATISTICS)]
    assert len(parameters) > 50
    for name in parameters:
        np.testing.assert_array_equal(learnt[f"Teacher.{name}"], own[name])
    kept = read_weights(tmp_path / "checkpoint/weights.pdparams")
    assert all(name.startswith(("backbone.", "neck.", "head.")) for name in kept)
    assert kept.keys() != own.keys()


def test_half_a_teacher_is_refused_before_anything_is_learnt(
    runtime: PaddleOcrRuntime, pages: dict[str, str], teacher: Path, tmp_path: Path
) -> None:
    half = tmp_path / "half.pdparams"
    own = read_weights(teacher)
    half.write_bytes(pickle.dumps({name: own[name] for name in own if "neck" not in name}))

    code, errors = train(tmp_path, runtime, pages, half)

    said = rf"{half} has \d+ of the {len(own)} parameters of the Teacher of {NET}, expected all"
    assert code == 3
    assert re.search(said, errors)
