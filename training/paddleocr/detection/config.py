"""What PaddleOCR's YAML says of a detector: our parameters to its keys, and back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from configs.paddleocr import PaddleOcrDetectorParams
from ocr import source_tree
from ocr.errors import BadInput
from training.paddleocr.config import (
    Config,
    JobFiles,
    Settings,
    find_step,
    precision_settings,
    read_named,
    set_step,
    shared_settings,
    with_settings,
)
from training.paddleocr.distillation import alone
from training.paddleocr.overrides import check_kept

FAMILIES = source_tree.FAMILIES["det"]
RESIZE = "DetResizeForTest"
CROP = "EastRandomCropData"
NORMALISE = "NormalizeImage"


def read_upstream(home: Path, net: str) -> Config:
    """Read the config of a family, or of a path in PaddleOCR's tree, that this engine can train.

    Raises:
        BadInput: There is none, or it is no DB detector of colour pages.
    """
    name, config = read_named(home, net, "det")
    _check_kind(alone(config), name)
    return config


def _check_kind(config: Any, name: str) -> None:
    """Refuse what is trained or read otherwise than a DB detector of whole pages."""
    try:
        architecture, post = config["Architecture"], config["PostProcess"]
        kind = architecture["model_type"], architecture["algorithm"], post["name"]
        datasets = {config[part]["dataset"]["name"] for part in ("Train", "Eval")}
        steps = [
            {name for step in config[part]["dataset"]["transforms"] for name in step}
            for part in ("Train", "Eval")
        ]
    except (KeyError, TypeError):
        raise BadInput(f"training.net: {name} is no detector's config") from None
    if kind != ("det", "DB", "DBPostProcess") or post.get("box_type", "quad") != "quad":
        raise BadInput(
            f"training.net: {name} is {kind[1]} ({kind[0]}, read by {kind[2]}); expected a "
            "detector, DB, read by DBPostProcess as rectangles"
        )
    if datasets != {"SimpleDataSet"} or CROP not in steps[0] or RESIZE not in steps[1]:
        raise BadInput(
            f"training.net: {name} does not learn from a SimpleDataSet cut by {CROP}, "
            f"and read pages resized by {RESIZE}"
        )
    for part in ("Train", "Eval"):
        mode = find_step(config, part, "DecodeImage").get("img_mode")
        if mode != "BGR":
            raise BadInput(f"training.net: {name} takes {mode}, expected BGR")
    learnt, read = (find_step(config, part, NORMALISE) for part in ("Train", "Eval"))
    if not read or learnt != read or (read["order"], read["scale"]) != ("hwc", "1./255."):
        raise BadInput(
            f"training.net: {name} does not normalise in the same way what it learns from and "
            f"what it reads, by {NORMALISE} of shares of 255"
        )


def make_config(
    upstream: Mapping[str, Any],
    training: PaddleOcrDetectorParams,
    *,
    files: JobFiles,
    pages: int,
    gpu: bool,
) -> Config:
    """Return the whole config: the upstream one, the user's overrides, and what the job says.

    Args:
        upstream: As `read_upstream` gives it.
        training: How to train.
        files: Where things lie.
        pages: Pages of the train split.
        gpu: Whether it trains on a GPU.

    Raises:
        BadInput: An override names a key that is not there or that a parameter sets, or the
            config has no key for a parameter.
    """
    settings = dict(_settings(training, files=files, pages=pages, gpu=gpu))
    config = with_settings(upstream, training, settings)
    _check_kind(alone(config), training.net)
    _set_sizes(config, training)
    check_kept(config, training.overrides)
    return config


def _settings(
    training: PaddleOcrDetectorParams, *, files: JobFiles, pages: int, gpu: bool
) -> Settings:
    steps = -(-pages // training.batch_size)
    yield from shared_settings(training, files=files, steps_per_epoch=steps, gpu=gpu)
    yield from precision_settings(training, dtype="bfloat16")  # float16 makes its loss NaN
    yield "Metric.main_indicator", ("hmean", "")
    yield "Train.loader.drop_last", (False, "")  # there may be fewer pages than a batch
    yield "Eval.loader.batch_size_per_card", (1, "")  # pages differ in size


def _set_sizes(config: Config, training: PaddleOcrDetectorParams) -> None:
    """Let it learn from crops of our size, and validate on pages as large as ours."""
    crop = (training.crop_width_px, training.crop_height_px)
    find_step(config, "Train", CROP)["size"] = list(crop)
    limits = {"limit_side_len": training.long_side_px, "limit_type": "max"}
    set_step(config, "Eval", RESIZE, limits)
    if training.to_static or "d2s_train_image_shape" in config["Global"]:
        config["Global"]["d2s_train_image_shape"] = [3, *reversed(crop)]
