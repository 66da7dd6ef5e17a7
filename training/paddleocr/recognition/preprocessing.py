"""What lies between a line and the net: the same to learn, to validate and to read."""

from collections.abc import Iterator, Mapping
from typing import Any

from ocr.errors import BadInput
from training.paddleocr.config import find_step

READER = "what our reader does"
FIXED = {
    "Eval": READER,
    "PostProcess": READER,
    "Metric": "what our accuracy counts",
    "Global.d2s_train_image_shape": "training.width_px",
    "Architecture.model_type": "training.net",
    "Architecture.algorithm": "training.net",
    "Train.dataset.name": "training.net",
    "Train.dataset.ds_width": "training.width_px",
    "Train.dataset.delimiter": "",
    "Train.dataset.ext_op_transform_idx": "training.net",
    "Train.sampler.name": "training.net",
    "Train.sampler.is_training": "training.net",
    "Train.sampler.scales": "training.width_px",
    "Train.sampler.divided_factor": "training.width_px",
}
"""Keys, and groups of them, that no user overrides; each with what sets it."""
STEPS = ("DecodeImage", "RecResizeImg", "KeepKeys")


def fixed_keys(config: Mapping[str, Any]) -> Iterator[tuple[str, tuple[None, str]]]:
    """Yield the keys that decide what the net sees and what is counted, and what sets each."""
    for key, by in FIXED.items():
        yield key, (None, by)
    for number, name in enumerate(_steps(config, "Train")):
        path = f"Train.dataset.transforms.{number}"
        if _is_ours(name):
            yield path, (None, READER)
        yield f"{path}.{name}.image_shape", (None, "training.width_px")


def check_preprocessing(config: Mapping[str, Any], name: str) -> None:
    """Refuse a net that gets something else of a line than our reader gives it.

    Raises:
        BadInput: Naming what differs.
    """
    for part in ("Train", "Eval"):
        decode = find_step(config, part, "DecodeImage")
        if decode.get("img_mode") != "BGR" or decode.get("channel_first"):
            raise BadInput(f"training.net: {name} takes {decode.get('img_mode')}, expected BGR")
    resize = find_step(config, "Eval", "RecResizeImg")
    shape = resize.get("image_shape", ())
    if len(shape) != 3 or shape[0] != 3 or not resize.get("padding", True):
        raise BadInput(
            f"training.net: {name} does not pad lines of three channels by RecResizeImg, "
            "as our reader does"
        )
    learnt = find_step(config, "Train", "RecResizeImg") or resize
    if learnt.get("image_shape") != shape or not learnt.get("padding", True):
        raise BadInput(
            f"training.net: {name} learns lines of {learnt.get('image_shape')} and reads {shape}"
        )
    is_sized = config["Train"]["dataset"]["name"] == "MultiScaleDataSet"
    if not is_sized and not any("Resize" in step for step in _steps(config, "Train")):
        raise BadInput(
            f"training.net: {name} gives lines that it learns from no size (Train has no "
            "RecResizeImg), so that PaddleOCR itself loads none of them"
        )
    if more := [step for step in _steps(config, "Eval") if not _is_ours(step)]:
        raise BadInput(
            f"training.net: {name} reads after {', '.join(more)}, which our reader does not do"
        )


def _steps(config: Mapping[str, Any], part: str) -> list[str]:
    return [next(iter(step)) for step in config[part]["dataset"]["transforms"]]


def _is_ours(step: str) -> bool:
    """Whether a step does what our reader does, or writes a text as classes."""
    return step in STEPS or step.endswith("LabelEncode")
