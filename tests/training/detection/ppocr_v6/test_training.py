"""A detector that starts from PP-OCRv6: trained by `python -m training`, and exported."""

from pathlib import Path

import pytest

from configs.jobs import TrainResult
from ocr.models.bundle import NOTICE, read_detector_bundle
from tests.training.detection.ppocr_v6.weights import PRETRAINED, start
from tests.training.detection.toy_detector import RULE
from tests.training.detection.toy_pages import make_page_snapshot, write_detector_job
from tests.training.export.page_store import page_store
from tests.training.recognition.ppocr_v6.weights import needs_rapidocr
from tests.training.running import run
from training.detection.checkpoint import load_detector, save_detector
from training.detection.ppocr_v6.net import PretrainedDetectorSpec
from training.export.export import export_model
from training.forms.parity import LARGEST_DIFFERENCE
from training.loop.checkpoint import read_weights

pytestmark = needs_rapidocr


@pytest.mark.parametrize("devices", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_few_steps_leave_a_net_that_finds_words(tmp_path: Path, devices: int) -> None:
    counts = {"train": 4, "val": 2, "test": 1}
    pages = make_page_snapshot(tmp_path / "pages", counts=counts)
    job = write_detector_job(
        tmp_path, pages, devices=devices, **PRETRAINED, epochs=1, evaluations=1
    )

    code, errors = run(job, command="train-detector")

    assert code == 0, errors
    result = TrainResult.model_validate_json((tmp_path / "result.json").read_bytes())
    assert result.metrics["hmean"] > 0.8
    net, spec, _ = load_detector(tmp_path / "checkpoint")
    assert isinstance(spec, PretrainedDetectorSpec)
    assert net.stem is not None


def test_every_form_answers_alike_and_the_bundle_says_whose_weights_were_modified(
    tmp_path: Path,
) -> None:
    begun = start()
    checkpoint = tmp_path / "pretrained"
    checkpoint.mkdir()
    weights = begun.frozen | read_weights(begun.build())
    save_detector(checkpoint, weights=weights, spec=begun.spec, rule=RULE)
    _, job = page_store(tmp_path, checkpoint=checkpoint)
    (tmp_path / "job").mkdir()

    exported = export_model(job, tmp_path / "job")

    bundle = tmp_path / "job" / exported.bundle
    manifest = read_detector_bundle(bundle)
    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    assert max(manifest.parity.values()) < LARGEST_DIFFERENCE
    assert NOTICE in manifest.files
    notice = (bundle / NOTICE).read_text(encoding="utf-8")
    assert "PP-OCRv6_small_det" in notice
    assert "THE WEIGHTS WERE MODIFIED" in notice
    assert "Apache License\n                           Version 2.0" in notice
    assert "PP-OCRv6_small_det of the PaddleOCR project" in (bundle / "card.md").read_text()
