"""The one place that speaks PaddleOCR's configuration: our parameters to its YAML, and back."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from configs.paddleocr import PaddleOcrRecogniserParams
from ocr.errors import BadInput
from training.forms.paddle import RECOGNISER_NAME
from training.paddleocr.overrides import check_kept, override

FAMILIES = {
    "pp-ocrv3-mobile": "configs/rec/PP-OCRv3/PP-OCRv3_mobile_rec.yml",
    "pp-ocrv4-mobile": "configs/rec/PP-OCRv4/PP-OCRv4_mobile_rec.yml",
    "pp-ocrv4-server": "configs/rec/PP-OCRv4/PP-OCRv4_server_rec.yml",
    "pp-ocrv5-mobile": "configs/rec/PP-OCRv5/PP-OCRv5_mobile_rec.yml",
    "pp-ocrv5-server": "configs/rec/PP-OCRv5/PP-OCRv5_server_rec.yml",
}
LOADERS_ON_GPU = 4
MOST_STEPS_UNSAID = 10

Config = dict[str, Any]


@dataclass(frozen=True)
class JobFiles:
    """Where the files of a job lie.

    Attributes:
        data: Folder that the label files' images are relative to.
        train: Label file of the train split.
        val: Label file of the val split.
        charset: The dictionary: one character a line.
        output: Folder for what is trained.
    """

    data: Path
    train: Path
    val: Path
    charset: Path
    output: Path


def read_upstream(home: Path, net: str) -> Config:
    """Read the config of a family, or of a path in PaddleOCR's tree, that this engine can train.

    Raises:
        BadInput: There is none, or it is no CTC recogniser of colour lines.
    """
    name = FAMILIES.get(net, net)
    path = (home / name).resolve()
    if path.suffix not in (".yml", ".yaml") or not path.is_relative_to(home.resolve() / "configs"):
        raise BadInput(
            f"training.net: {net!r} is not allowed; expected one of {', '.join(FAMILIES)}, or "
            "configs/rec/NAME.yml, a file of PaddleOCR's tree"
        )
    if not path.is_file():
        raise BadInput(f"training.net: PaddleOCR's tree has no {name}; is it of another version?")
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    _check_kind(config, name)
    return config  # type: ignore[no-any-return]


def _check_kind(config: Any, name: str) -> None:
    """Refuse what is trained or read otherwise than a CTC recogniser of lines."""
    try:
        kind = config["Architecture"]["model_type"], config["PostProcess"]["name"]
        algorithm = config["Architecture"]["algorithm"]
        resize = _step(config, "Eval", "RecResizeImg")
        decode = _step(config, "Eval", "DecodeImage")
    except (KeyError, TypeError):
        raise BadInput(f"training.net: {name} is no recogniser's config") from None
    if kind != ("rec", "CTCLabelDecode") or algorithm == "Distillation":
        raise BadInput(
            f"training.net: {name} is {algorithm} ({kind[0]}, read by {kind[1]}); expected a "
            "recogniser read by CTCLabelDecode, of one net"
        )
    shape = (resize or {}).get("image_shape", ())
    if len(shape) != 3 or shape[0] != 3 or not resize.get("padding", True):
        raise BadInput(
            f"training.net: {name} does not pad lines of three channels by RecResizeImg, "
            "as our reader does"
        )
    if decode.get("img_mode") != "BGR":
        raise BadInput(f"training.net: {name} takes {decode.get('img_mode')}, expected BGR")


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
            config has no key for a parameter.
    """
    settings = dict(_settings(training, files=files, lines=lines, gpu=gpu))
    config = override(upstream, training.overrides, ours=settings)
    _check_kind(config, training.net)
    _check_learning_rate(config)
    for path, (value, _) in settings.items():
        _set(config, path.split("."), value)
    _set_lengths(config, training.max_text_length)
    _set_widths(config, training.width_px)
    check_kept(config, training.overrides)
    return config


def _settings(
    training: PaddleOcrRecogniserParams, *, files: JobFiles, lines: int, gpu: bool
) -> Iterator[tuple[str, tuple[Any, str]]]:
    """Yield PaddleOCR's keys with their values, and the parameter that says so, if one does."""
    batch = training.batch_size
    steps = training.epochs * max(1, lines // batch)
    loaders = LOADERS_ON_GPU if gpu else 0
    every = max(1, training.epochs // training.evaluations)
    yield "Global.use_gpu", (gpu, "resources.device")
    yield "Global.distributed", (False, "resources.devices")
    yield "Global.epoch_num", (training.epochs, "training.epochs")
    yield "Global.seed", (training.seed, "training.seed")
    yield "Global.max_text_length", (training.max_text_length, "training.max_text_length")
    yield "Global.pretrained_model", (None, "training.pretrained")
    yield "Global.checkpoints", (None, "")
    yield "Global.save_model_dir", (str(files.output), "")
    yield "Global.save_epoch_step", (training.epochs + 1, "")  # the latest and the best are enough
    yield "Global.save_inference_dir", (None, "")
    yield "Global.uniform_output_enabled", (False, "")  # it would export after every epoch
    yield "Global.eval_batch_step", ([0, 1], "training.evaluations")
    yield "Global.eval_batch_epoch", (every, "training.evaluations")
    yield "Global.print_batch_step", (max(1, min(MOST_STEPS_UNSAID, steps // 200)), "")
    yield "Global.use_visualdl", (False, "")
    yield "Global.character_dict_path", (str(files.charset), "")
    yield "Global.use_space_char", (False, "")  # the charset has one where the texts do
    yield "Global.model_name", (RECOGNISER_NAME, "")
    yield "Optimizer.lr.learning_rate", (training.learning_rate, "training.learning_rate")
    yield "Metric.ignore_space", (False, "")
    for part, labels in (("Train", files.train), ("Eval", files.val)):
        yield f"{part}.dataset.data_dir", (str(files.data), "")
        yield f"{part}.dataset.label_file_list", ([str(labels)], "")
        yield f"{part}.dataset.ratio_list", ([1.0], "")
        yield f"{part}.loader.batch_size_per_card", (batch, "training.batch_size")
        yield f"{part}.loader.num_workers", (loaders, "")
    yield "Train.loader.shuffle", (True, "")
    yield "Train.sampler.first_bs", (batch, "training.batch_size")


def _check_learning_rate(config: Config) -> None:
    schedule = config["Optimizer"]["lr"]
    if "learning_rate" not in schedule:
        name = schedule.get("name", "its schedule")
        raise BadInput(f"training.net: Optimizer.lr of it is {name}, which takes no learning_rate")


def _set(config: Config, path: list[str], value: Any) -> None:
    *parents, key = path
    for parent in parents:
        if parent == "sampler" and parent not in config:
            return  # only what is trained at several scales has one
        config = config[parent]
    if key == "data_dir" and config["name"] == "LMDBDataSet":
        config["name"] = "SimpleDataSet"
    config[key] = value


def _set_lengths(config: Any, length: int) -> None:
    """Set the longest text wherever the config repeats it; YAML's anchors are lost in reading."""
    for group in _groups(config):
        if "max_text_length" in group:
            group["max_text_length"] = length


def _set_widths(config: Config, width_px: int) -> None:
    """Set the width wherever an image is given a size."""
    if "d2s_train_image_shape" in config["Global"]:
        config["Global"]["d2s_train_image_shape"][2] = width_px
    for part in ("Train", "Eval"):
        if resize := _step(config, part, "RecResizeImg"):
            resize["image_shape"][2] = width_px
        if joined := _step(config, part, "RecConAug"):
            joined["image_shape"][1] = width_px
    if sampler := config["Train"].get("sampler"):
        sampler["scales"] = [[width_px, height_px] for _, height_px in sampler["scales"]]


def input_size(config: Mapping[str, Any]) -> tuple[int, int]:
    """Return height and width, in pixels, of the lines that the net reads."""
    _, height_px, width_px = _step(config, "Eval", "RecResizeImg")["image_shape"]
    return height_px, width_px


def longest_text(config: Mapping[str, Any]) -> int:
    """Return how many characters a text may have; a second head adds a start and an end."""
    length: int = config["Global"]["max_text_length"]
    steps = config["Train"]["dataset"]["transforms"]
    return length - 2 if any("MultiLabelEncode" in step for step in steps) else length


def resumed(config: Mapping[str, Any], checkpoint: Path) -> Config:
    """Return the config of a training that goes on from a checkpoint's files without suffix."""
    return _with_globals(config, checkpoints=str(checkpoint))


def started(config: Mapping[str, Any], weights: Path) -> Config:
    """Return the config of a training that starts from weights."""
    return _with_globals(config, pretrained_model=str(weights))


def exported(
    config: Mapping[str, Any], weights: Path | None, folder: Path, *, legacy: bool
) -> Config:
    """Return the config of an export to a folder, for PIR or in the legacy form."""
    return _with_globals(
        config,
        checkpoints=None,
        pretrained_model=str(weights) if weights else None,
        save_inference_dir=str(folder),
        export_with_pir=not legacy,
    )


def write_config(path: Path, config: Mapping[str, Any]) -> None:
    """Write a config."""
    text = yaml.safe_dump(dict(config), allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")


def _with_globals(config: Mapping[str, Any], **values: Any) -> Config:
    changed = deepcopy(dict(config))
    changed["Global"] |= values
    return changed


def _step(config: Mapping[str, Any], part: str, name: str) -> Any:
    """Return the arguments of a step before the net; empty where there is none."""
    steps = config[part]["dataset"]["transforms"]
    return next((step[name] for step in steps if step.get(name)), {})


def _groups(config: Any) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        yield config
    children = config.values() if isinstance(config, dict) else config
    for child in children if isinstance(config, dict | list) else ():
        yield from _groups(child)
