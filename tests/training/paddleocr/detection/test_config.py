"""Our parameters as PaddleOCR's YAML, on its own configs of detectors."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.paddleocr import PaddleOcrDetectorParams
from ocr.errors import BadInput
from tests.paddleocr_tree import find_tree
from tests.training.paddleocr.changes import changes, override
from training.paddleocr.config import JobFiles
from training.paddleocr.detection.config import FAMILIES, make_config, read_upstream

GOLDEN = Path(__file__).parent / "golden"
SMALL = "configs/det/det_mv3_db.yml"
FILES = JobFiles.of(Path("/job"))


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


def make(tree: Path, *, pages: int = 100, **training: Any) -> dict[str, Any]:
    params = PaddleOcrDetectorParams(**{"net": "pp-ocrv5-mobile"} | training)
    upstream = read_upstream(tree, params.net)
    return make_config(upstream, params, files=FILES, pages=pages, gpu=False)


@pytest.mark.parametrize("net", [*FAMILIES, SMALL])
def test_what_is_changed_of_a_familys_config_is_its_golden_file(tree: Path, net: str) -> None:
    golden = GOLDEN / f"{Path(net).stem}.yaml"

    config = make(
        tree,
        net=net,
        epochs=7,
        batch_size=4,
        long_side_px=960,
        crop_height_px=320,
        crop_width_px=480,
        evaluations=3,
    )

    assert changes(read_upstream(tree, net), config) == yaml.safe_load(golden.read_text())


def test_overrides_reach_what_no_parameter_sets(tree: Path) -> None:
    flipped = "Train.dataset.transforms.3.IaaAugment.augmenter_args.0.args.p"

    config = make(tree, **override(flipped, 0))

    assert changes(make(tree), config) == {flipped: 0}


NORMALISE = "dataset.transforms.3.NormalizeImage"
BAD: list[tuple[dict[str, Any], str]] = [
    ({"net": "pp-ocrv2-mobile"}, "'pp-ocrv2-mobile' is not allowed; expected one of pp-ocrv3-mobi"),
    ({"net": "configs/det/none.yml"}, "PaddleOCR's tree has no configs/det/none.yml"),
    ({"net": "configs/rec/rec_mv3_none_none_ctc.yml"}, "is Rosetta (rec, read by CTCLabelDecode)"),
    ({"net": "configs/det/det_mv3_east.yml"}, "is EAST (det, read by EASTPostProcess); expected a"),
    ({"net": "configs/det/det_r50_db++_icdar15.yml"}, "is DB++ (det, read by DBPostProcess)"),
    ({"net": "configs/det/PP-OCRv4/PP-OCRv4_mobile_seal_det.yml"}, "read by DBPostProcess as rec"),
    (override("Train.dataset.name", "TextDetDataset"), "does not learn from a SimpleDataSe"),
    (override("PostProcess.unclip", 2), "PostProcess has no such key; did you mean unclip_ratio?"),
    (override("Global.epoch_num", 3), "Global.epoch_num is set by training.epochs, and cannot be"),
    (override("Eval.loader.batch_size_per_card", 8), "is set by the job, and cannot be overridden"),
    (override(f"Eval.{NORMALISE}.order", "chw"), "does not normalise in the same way what it lear"),
    (
        override("Train.dataset.transforms.4.EastRandomCropData.size", [320, 320]),
        "[320, 320] is not allowed; the parameters of the training make it [640, 640]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("training", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_what_cannot_be_trained_is_said_with_what_can(
    tree: Path, training: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        make(tree, **training)
