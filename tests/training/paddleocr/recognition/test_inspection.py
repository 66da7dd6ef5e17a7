"""What an exported net takes, asked of the net and compared with its inference.yml."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import TrainingFailed
from ocr.models.recogniser_spec import LineSpec
from tests.bench.colour_net import ColourNet
from training.forms.static_graph import save_static
from training.paddleocr.recognition.inspection import find_spec

JOB = TrainPaddleOcrRecogniserJob(
    store="",
    snapshot="",
    training=PaddleOcrRecogniserParams(),
    resources=ResourceParams(),
    runtime=PaddleOcrRuntime(home="", python="", tree="0" * 64, packages=""),
)
SAID: dict[str, Any] = {
    "PreProcess": {
        "transform_ops": [
            {"DecodeImage": {"img_mode": "BGR", "channel_first": False}},
            {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
            {"RecResizeImg": {"image_shape": [3, 32, 96]}},
            {"KeepKeys": {"keep_keys": ["image"]}},
        ]
    },
    "PostProcess": {"name": "CTCLabelDecode", "character_dict": ["A", "B", "C"]},
}
WRONG: list[tuple[int, dict[str, Any], str]] = [
    (0, {"DecodeImage": {"img_mode": "RGB"}}, "of BGR alone"),
    (1, {"NormalizeImage": {"mean": [0.4, 0.4, 0.4]}}, "NormalizeImage"),
    (2, {"RecResizeImg": {"image_shape": [3, 48, 96]}}, r"\[3, 48, 96\], expected \[3, 32, 96\]"),
    (2, {"RecResizeImg": {"image_shape": [3, 32, 320]}}, r"\[3, 32, 320\], expected \[3, 32, 96\]"),
]


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with a net that makes a frame of four columns."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / "paddle").mkdir()
    save_static(ColourNet(32), (None, 3, 32, None), folder / "paddle")
    return folder


def find(net: Path, said: dict[str, Any]) -> LineSpec:
    (net / "paddle/inference.yml").write_text(yaml.safe_dump(said), encoding="utf-8")
    (net / "charset.txt").write_text("A\nB\nC\n", encoding="utf-8")
    resize = {"RecResizeImg": {"image_shape": [3, 32, 96]}}
    config = {
        "Global": {"character_dict_path": str(net / "charset.txt")},
        "Eval": {"dataset": {"transforms": [resize]}},
    }
    return find_spec(JOB, net, config).input


def test_a_net_takes_what_its_inference_yml_says(net: Path) -> None:
    assert find(net, SAID) == LineSpec("line", 32, 96, 4, 16, padding="seen")


@pytest.mark.parametrize(("number", "step", "said"), WRONG)
def test_another_reading_of_lines_is_refused(
    net: Path, number: int, step: dict[str, Any], said: str
) -> None:
    wrong = deepcopy(SAID)
    wrong["PreProcess"]["transform_ops"][number] = step

    with pytest.raises(TrainingFailed, match=said):
        find(net, wrong)


def test_another_dictionary_is_refused(net: Path) -> None:
    wrong = deepcopy(SAID)
    wrong["PostProcess"]["character_dict"] = ["A", "C", "B"]

    with pytest.raises(TrainingFailed, match="another dictionary"):
        find(net, wrong)
