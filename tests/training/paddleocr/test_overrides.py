"""What a net's own file says and the parameters of a training replace."""

from pathlib import Path

import pytest

from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams
from tests.paddleocr_tree import find_tree
from training.paddleocr.config import JobFiles
from training.paddleocr.detection import config as detection
from training.paddleocr.overrides import name_replaced
from training.paddleocr.recognition import config as recognition

LINES = "configs/rec/rec_mv3_none_none_ctc.yml"
PAGES = "configs/det/det_mv3_db.yml"
FILES = JobFiles.of(Path("/job"))


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


def replaced_by(tree: Path, params: PaddleOcrRecogniserParams) -> str:
    upstream = recognition.read_upstream(tree, params.net)
    config = recognition.make_config(upstream, params, files=FILES, lines=1000, gpu=False)
    return name_replaced(upstream, config, params)


def test_what_parameters_of_a_recogniser_replace_is_named(tree: Path) -> None:
    params = PaddleOcrRecogniserParams(net=LINES, epochs=72, max_text_length=30)

    assert replaced_by(tree, params) == (
        f"not as {LINES} has it: training.batch_size 16 (256 there), "
        "training.max_text_length 30 (25 there), training.width_px 320 ([3, 32, 100] there)"
    )


@pytest.mark.parametrize(
    ("net", "said"),
    [
        (
            "configs/rec/ch_PP-OCRv2/ch_PP-OCRv2_rec.yml",
            "training.learning_rate 0.0005 ([0.001, 0.0001] there)",
        ),
        (
            "configs/rec/PP-OCRv4/PP-OCRv4_mobile_rec_ampO2_ultra.yml",
            "training.amp 'off' (True there)",
        ),
    ],
)
def test_rates_by_epoch_and_half_precision_are_named_too(tree: Path, net: str, said: str) -> None:
    assert said in replaced_by(tree, PaddleOcrRecogniserParams(net=net))


def test_what_parameters_of_a_detector_replace_is_named(tree: Path) -> None:
    params = PaddleOcrDetectorParams(net=PAGES, epochs=3, crop_width_px=320)
    upstream = detection.read_upstream(tree, PAGES)
    config = detection.make_config(upstream, params, files=FILES, pages=100, gpu=False)

    assert name_replaced(config, config, params) == ""
    assert name_replaced(upstream, config, params) == (
        f"not as {PAGES} has it: training.epochs 3 (1200 there), training.batch_size 8 (16 there), "
        "training.pretrained '' (./pretrain_models/MobileNetV3_large_x0_5_pretrained there), "
        "training.crop_width_px 320 ([640, 640] there)"
    )


def test_of_a_net_that_learns_nothing_only_what_it_reads_is_named() -> None:
    training = PaddleOcrRecogniserParams(
        epochs=0, pretrained="w", pretrained_sha256="0" * 64, batch_size=3
    )
    upstream, config = (
        {"Global": {"epoch_num": number, "max_text_length": number}} for number in (1, 2)
    )

    told = name_replaced(upstream, config, training)

    assert told.endswith(" has it: training.max_text_length 25 (1 there)")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("https://me:secret@host/best.pdparams?key=secret", "…/best.pdparams"),
        ("https://host?key=secret", "…/host"),
        ("\x1b[31m", r"'\x1b[31m'"),
        ("x" * 1000, "x" * 80),
    ],
)
def test_what_is_replaced_is_named_without_secrets_and_in_one_line(there: str, said: str) -> None:
    training, upstream = PaddleOcrDetectorParams(net=PAGES), {"Global": {"pretrained_model": there}}

    told = name_replaced(upstream, {"Global": {"pretrained_model": None}}, training)

    assert told == f"not as {PAGES} has it: training.pretrained '' ({said} there)"
