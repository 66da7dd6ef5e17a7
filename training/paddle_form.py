"""The form that stock paddleocr loads: PIR model, parameters and inference.yml."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import yaml

from ocr.image import Image
from ocr.preprocess import InputSpec
from ocr.recogniser import run_in_batches
from training.parity import Reading
from training.predictor import Predictor
from training.static_graph import PARAMETERS, save_static

MODEL = "inference.json"
CONFIG = "inference.yml"

REGISTERED_NAME = "PP-OCRv5_mobile_rec"
"""paddleocr loads only models of a name it knows; this one fits any CTC recogniser."""


def export_paddle(net: Any, spec: InputSpec, *, characters: Sequence[str], folder: Path) -> None:
    """Write the form. The net cannot be used as before afterwards."""
    folder.mkdir(parents=True)
    save_static(net, spec, folder)
    config = inference_config(spec, characters)
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False)
    (folder / CONFIG).write_text(text, encoding="utf-8")


def inference_config(spec: InputSpec, characters: Sequence[str]) -> dict[str, Any]:
    """Say in PaddleX's words how an image becomes the input and an output a text."""
    return {
        "Global": {"model_name": REGISTERED_NAME},
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
                {"RecResizeImg": {"image_shape": [3, spec.height_px, spec.width_px]}},
                {"KeepKeys": {"keep_keys": ["image", "label_ctc", "length"]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": list(characters)},
    }


def read_paddle(
    folder: Path, images: Sequence[Image], *, layout: Literal["fixed", "line"], onednn: bool
) -> Reading:
    """Read images with the form as stock paddleocr does: all it knows is in inference.yml.

    Args:
        folder: Of the form.
        images: (H, W, 3) BGR each.
        layout: fixed: as with `input_shape` given; line: as without.
        onednn: Use oneDNN's kernels.
    """
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    operations: dict[str, Any] = {}
    for operation in config["PreProcess"]["transform_ops"]:
        operations |= operation
    _, height_px, width_px = operations["RecResizeImg"]["image_shape"]
    spec = InputSpec(layout=layout, height_px=height_px, width_px=width_px)
    if operations["DecodeImage"]["img_mode"] == "RGB":
        images = [image[:, :, ::-1] for image in images]
    predictor = Predictor(folder / MODEL, folder / PARAMETERS, onednn=onednn)
    frames = dict(run_in_batches(predictor, images=images, spec=spec))
    # paddlex adds a space after whatever the dictionary holds.
    return Reading.of(frames, [*config["PostProcess"]["character_dict"], " "])
