"""What PaddleOCR's YAML says of a recogniser: our parameters to its keys, and back."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from configs.paddleocr import PaddleOcrRecogniserParams
from ocr import source_tree
from ocr.errors import BadInput
from training.forms.paddle import RECOGNISER_NAME
from training.paddleocr.config import (
    Config,
    JobFiles,
    Settings,
    find_step,
    precision_settings,
    read_named,
    shared_settings,
    with_settings,
)
from training.paddleocr.distillation import alone
from training.paddleocr.overrides import check_kept
from training.paddleocr.recognition.preprocessing import READER, check_preprocessing, fixed_keys

FAMILIES = source_tree.FAMILIES["rec"]
JOIN = "RecConAug"
"""The step that joins lines to longer ones, up to the longest text that the net is built for."""

BACKWARDS = "arabic"
"""In the path of a dictionary it tells PaddleOCR's reader to turn words around."""


def read_upstream(home: Path, net: str) -> Config:
    """Read the config of a family, or of a path in PaddleOCR's tree, that this engine can train.

    Raises:
        BadInput: There is none, or it is no CTC recogniser of colour lines.
    """
    name, config = read_named(home, net, "rec")
    _check_kind(alone(config), name)
    check_preprocessing(config, name)
    return config


def _check_kind(config: Any, name: str) -> None:
    """Refuse what is trained or read otherwise than a CTC recogniser of lines."""
    try:
        kind = config["Architecture"]["model_type"], config["PostProcess"]["name"]
        algorithm = config["Architecture"]["algorithm"]
        metric = config["Metric"]["name"]
    except (KeyError, TypeError):
        raise BadInput(f"training.net: {name} is no recogniser's config") from None
    if kind != ("rec", "CTCLabelDecode"):
        raise BadInput(
            f"training.net: {name} is {algorithm} ({kind[0]}, read by {kind[1]}); expected a "
            "recogniser read by CTCLabelDecode"
        )
    if metric != "RecMetric":
        raise BadInput(f"training.net: {name} is validated by {metric}, expected RecMetric")


def make_config(
    upstream: Mapping[str, Any],
    training: PaddleOcrRecogniserParams,
    *,
    files: JobFiles,
    lines: int,
    gpu: bool,
) -> Config:
    """Return the whole config: the upstream one, the user's overrides, and what the job says.

    Args:
        upstream: As `read_upstream` gives it.
        training: How to train.
        files: Where things lie.
        lines: Lines of the train split.
        gpu: Whether it trains on a GPU.

    Raises:
        BadInput: An override names a key that is not there or that a parameter sets, or the
            config has no key for a parameter; or the charset lies where it would be misread.
    """
    if BACKWARDS in str(files.charset):
        raise BadInput(
            f"{files.charset}: PaddleOCR reads every text backwards where the path of its "
            f"characters has {BACKWARDS!r} in it; move OCRLINE_HOME to another folder"
        )
    settings = dict(_settings(training, files=files, lines=lines, gpu=gpu))
    config = with_settings(upstream, training, settings, fixed=fixed_keys(upstream))
    _set_lengths(config, training.max_text_length)
    _set_widths(config, training.width_px)
    if training.to_static:
        config["Global"]["d2s_train_image_shape"] = [3, *input_size(config)]
    check_kept(config, training.overrides)
    return config


def _settings(
    training: PaddleOcrRecogniserParams, *, files: JobFiles, lines: int, gpu: bool
) -> Settings:
    batch = training.batch_size
    yield from shared_settings(training, files=files, steps_per_epoch=lines // batch, gpu=gpu)
    yield from precision_settings(training, dtype="float16")
    yield "Global.max_text_length", (training.max_text_length, "training.max_text_length")
    yield "Global.character_dict_path", (str(files.charset), "dataset.charset_file")
    yield "Global.use_space_char", (False, "")  # the charset has one where the texts do
    yield "Global.model_name", (RECOGNISER_NAME, "")
    yield "Global.infer_mode", (False, READER)
    yield "Metric.main_indicator", ("acc", "")
    yield "Metric.ignore_space", (False, "")
    yield "Metric.is_filter", (False, "")
    yield "Eval.loader.drop_last", (False, "")
    yield "Eval.loader.batch_size_per_card", (batch, "training.batch_size")
    yield "Train.sampler.first_bs", (batch, "training.batch_size")


def _set_lengths(config: Any, length: int) -> None:
    """Set the longest text wherever the config repeats it; YAML's anchors are lost in reading."""
    for group in _groups(config):
        if "max_text_length" in group:
            group["max_text_length"] = length
    if joined := find_step(config, "Train", JOIN):
        joined["max_text_length"] = longest_text(config)


def _set_widths(config: Config, width_px: int) -> None:
    """Set the width wherever an image is given a size."""
    if "d2s_train_image_shape" in config["Global"]:
        config["Global"]["d2s_train_image_shape"][2] = width_px
    for part in ("Train", "Eval"):
        if resize := find_step(config, part, "RecResizeImg"):
            resize["image_shape"][2] = width_px
            if "eval_mode" in resize:  # wide lines kept wide make no batch: the loader would hang
                resize["eval_mode"] = False
        if joined := find_step(config, part, JOIN):
            joined["image_shape"] = [input_size(config)[0], width_px, 3]
    if sampler := config["Train"].get("sampler"):
        sampler["scales"] = [[width_px, height_px] for _, height_px in sampler["scales"]]


def input_size(config: Mapping[str, Any]) -> tuple[int, int]:
    """Return height and width, in pixels, of the lines that the net reads."""
    _, height_px, width_px = find_step(config, "Eval", "RecResizeImg")["image_shape"]
    return height_px, width_px


def longest_text(config: Mapping[str, Any]) -> int:
    """Return how many characters a text may have; a second head adds a start and an end."""
    length: int = config["Global"]["max_text_length"]
    steps = config["Train"]["dataset"]["transforms"]
    return length - 2 if any("MultiLabelEncode" in step for step in steps) else length


def _groups(config: Any) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        yield config
    children = config.values() if isinstance(config, dict) else config
    for child in children if isinstance(config, dict | list) else ():
        yield from _groups(child)
