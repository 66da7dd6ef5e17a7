"""Two nets, one of which teaches, for real: the student is exported, bundled and read with."""

from pathlib import Path

import numpy as np
import pytest

from configs.jobs import ExportRecogniserJob, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.models.bundle import read_recogniser_bundle
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from ocr.store.folder import upload_folder
from ocr.store.whole import sha256_of
from tests.paddleocr_tree import find_runtime
from tests.training.paddleocr.killing import train_twice
from tests.training.paddleocr.teacher import make_teacher
from training.export.export import export_model
from training.paddleocr.config import JobFiles
from training.paddleocr.recognition.config import make_config, read_upstream
from training.paddleocr.recognition.export import load_exported_recogniser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def with_teacher(params: PaddleOcrRecogniserParams, folder: Path) -> PaddleOcrRecogniserParams:
    runtime, files = find_runtime(), JobFiles.of(folder)
    files.data.mkdir()
    files.charset.write_text("".join(f"{digit}\n" for digit in "0123456789"))
    told = params.model_copy(update={"teacher": "/w", "teacher_sha256": "0" * 64})
    upstream = read_upstream(Path(runtime.home), params.net)
    weights = make_teacher(
        runtime, folder, make_config(upstream, told, files=files, lines=48, gpu=False)
    )
    given = {"teacher": str(weights), "teacher_sha256": sha256_of(weights)}
    return params.model_copy(update=given)


@pytest.mark.parametrize(
    ("net", "is_taught"),
    [
        ("configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec_distillation.yml", False),
        ("configs/rec/SVTRv2/ch_SVTRv2_rec_distillation.yml", True),
    ],
)
def test_the_student_of_two_nets_is_bundled_and_read_with(
    digits: dict[str, str], tmp_path: Path, net: str, is_taught: bool
) -> None:
    params = PaddleOcrRecogniserParams(
        net=net, epochs=4, batch_size=16, width_px=160, evaluations=1, learning_rate=1e-4
    )
    if is_taught:
        params = with_teacher(params, tmp_path)
    job = TrainPaddleOcrRecogniserJob(
        **digits, training=params, resources=ResourceParams(), runtime=find_runtime()
    )
    (tmp_path / "job").mkdir()
    (tmp_path / "bundle").mkdir()

    trained = train_twice(job, tmp_path / "job")  # killed after an epoch

    (trained / "checkpoint/manifest.json").write_text("{}")
    prefix = f"checkpoints/{Path(net).stem}"
    upload_folder(open_store(digits["store"]), trained / "checkpoint", prefix=prefix)
    export = ExportRecogniserJob(
        **digits,
        checkpoint=prefix,
        name="toy",
        version="v1",
        parameters={},
        metrics={},
        golden_images=8,
        text_model=False,
    )
    bundle = tmp_path / "bundle" / export_model(export, tmp_path / "bundle").bundle
    exported = load_exported_recogniser(trained / "checkpoint")
    images = [image for _, image in open_line_snapshot(trained / "snapshot").images("test")]
    expected = exported.reader.infer(exported.net.answer, images)
    served = OnnxRecogniser.load(bundle)
    parity = read_recogniser_bundle(bundle).parity
    assert parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    for found, wanted in zip(served.probabilities(images), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-3)
