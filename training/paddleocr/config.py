"""PaddleOCR's YAML as every net of it has it: read, given what the job says, and written."""

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from configs.paddleocr import PaddleOcrParams
from ocr.errors import BadInput
from ocr.source_tree import find_config
from training.paddleocr.distillation import from_nothing, own_weights
from training.paddleocr.overrides import RATES, override, set_learning_rate
from training.paddleocr.shape import check_net, check_shape

LOADERS_ON_GPU = 4
MOST_STEPS_UNSAID = 10
SEEDS = 1 << 32
"""As many as NumPy takes."""
FLOAT16_SCALE = 1024.0
"""Of a loss at first; where a gradient becomes infinite, less from then on."""

NEVER = 1 << 40
"""Steps or epochs until something that shall not happen."""

Config = dict[str, Any]
Settings = Iterator[tuple[str, tuple[Any, str]]]
"""PaddleOCR's keys, as `a.b`, with their values and the parameter that says so, if one does."""


@dataclass(frozen=True)
class JobFiles:
    """Where the files of a job lie.

    Attributes:
        data: Folder that the label files' images are relative to.
        train: Label file of the train split.
        val: Label file of the val split.
        charset: The dictionary of a recogniser: one character a line.
        output: Folder for what is trained.
    """

    data: Path
    train: Path
    val: Path
    charset: Path
    output: Path

    @classmethod
    def of(cls, folder: Path) -> "JobFiles":
        """Name the files of a job's folder."""
        data = folder / "data"
        return cls(
            data=data,
            train=data / "train.txt",
            val=data / "val.txt",
            charset=data / "charset.txt",
            output=folder / "output",
        )


def read_named(home: Path, net: str, kind: Literal["rec", "det"]) -> tuple[str, Config]:
    """Return path and content of the config of a family, or of a path in PaddleOCR's tree.

    Raises:
        BadInput: There is none, or it is no config of a training.
    """
    name = find_config(home, net, kind)
    try:
        config: Config = yaml.safe_load((home / name).read_text(encoding="utf-8"))
        # Fails where anchors make it hold itself.
        json.dumps(config, default=str, skipkeys=True)
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"training.net: {name} is no YAML that can be read: {reason}") from None
    check_shape(config, name)
    return name, config


def shared_settings(
    training: PaddleOcrParams, *, files: JobFiles, steps_per_epoch: int, gpu: bool
) -> Settings:
    """Yield what the job says of every net."""
    steps = training.epochs * max(1, steps_per_epoch)
    yield "Global.use_gpu", (gpu, "resources.device")
    yield "Global.distributed", (False, "resources.devices")
    yield "Global.epoch_num", (training.epochs, "training.epochs")
    yield "Global.seed", (training.seed, "training.seed")
    yield "Global.pretrained_model", (None, "training.pretrained")
    yield "Global.checkpoints", (None, "")
    yield "Global.save_model_dir", (str(files.output), "")
    yield "Global.save_epoch_step", (1, "")
    yield "Global.save_inference_dir", (None, "")
    yield "Global.uniform_output_enabled", (False, "")  # it would export after every epoch
    yield "Global.eval_batch_step", ([0, 1], "training.evaluations")
    yield "Global.eval_batch_epoch", (None, "training.evaluations")
    yield "Global.print_batch_step", (max(1, min(MOST_STEPS_UNSAID, steps // 200)), "")
    yield "Global.use_visualdl", (False, "")
    yield "Global.to_static", (training.to_static, "training.to_static")
    for part, labels in (("Train", files.train), ("Eval", files.val)):
        yield f"{part}.dataset.data_dir", (str(files.data), "")
        yield f"{part}.dataset.label_file_list", ([str(labels)], "")
        yield f"{part}.dataset.ratio_list", ([1.0], "")
        yield f"{part}.loader.num_workers", (LOADERS_ON_GPU if gpu else 0, "")
    if training.clip_norm:
        yield "Optimizer.clip_norm_global", (training.clip_norm, "training.clip_norm")
    yield "Train.loader.shuffle", (True, "")
    yield "Train.loader.batch_size_per_card", (training.batch_size, "training.batch_size")


def precision_settings(
    training: PaddleOcrParams, *, dtype: Literal["float16", "bfloat16"]
) -> Settings:
    """Yield what the job says of mixed precision; `dtype` is what the net can be learnt in."""
    yield "Global.use_amp", (training.amp != "off", "training.amp")
    if training.amp == "off":
        return
    yield "Global.amp_level", (training.amp, "training.amp")
    yield "Global.amp_dtype", (dtype, "training.amp")
    # Small gradients are 0 in float16 unless they are scaled, as far up as none becomes infinite.
    is_scaled = dtype == "float16"
    yield "Global.use_dynamic_loss_scaling", (is_scaled, "training.amp")
    yield "Global.scale_loss", (FLOAT16_SCALE if is_scaled else 1.0, "training.amp")


def with_settings(
    upstream: Mapping[str, Any],
    training: PaddleOcrParams,
    settings: Mapping[str, tuple[Any, str]],
    *,
    fixed: Iterable[tuple[str, tuple[Any, str]]] = (),
) -> Config:
    """Return a config with the user's overrides, and over them what the job says.

    Args:
        upstream: The config of the tree.
        training: How to train.
        settings: What the job says.
        fixed: Further keys that are not the user's.

    Raises:
        BadInput: An override names a key that is not there or that is not the user's, or the
            config has no key for a parameter.
    """
    config = override(
        upstream,
        training.overrides,
        ours=dict(fixed) | RATES | own_weights(upstream) | dict(settings),
    )
    config = from_nothing(config, training)
    check_net(config["Architecture"], training)
    for path, (value, _) in settings.items():
        set_key(config, path, value)
    set_learning_rate(config, training.learning_rate)
    return config


def set_key(config: Config, path: str, value: Any) -> None:
    """Set a key, as `a.b`."""
    *parents, key = path.split(".")
    for parent in parents:
        if parent == "sampler" and parent not in config:
            return  # only what is trained at several scales has one
        config = config[parent]
    if key == "data_dir" and config["name"] == "LMDBDataSet":
        config["name"] = "SimpleDataSet"
    config[key] = value


def set_step(config: Config, part: str, name: str, value: Any) -> None:
    """Set the arguments of a step before the net."""
    for step in config[part]["dataset"]["transforms"]:
        if name in step:
            step[name] = value


def find_step(config: Mapping[str, Any], part: str, name: str) -> Any:
    """Return the arguments of a step before the net; empty where there is none."""
    steps = config[part]["dataset"]["transforms"]
    return next((step[name] for step in steps if step.get(name)), {})


def resumed(config: Mapping[str, Any], checkpoint: Path, *, epochs: int) -> Config:
    """Return the config of a training that goes on after so many epochs, in another order.

    PaddleOCR orders and augments by its seed from the start in every run: with the same one, what
    goes on would learn the batches of the first epoch again, to the last pixel.

    Args:
        config: Of the training.
        checkpoint: Files of the last epoch, without their suffix.
        epochs: Epochs done.
    """
    seed = (config["Global"]["seed"] + epochs) % SEEDS
    return _with_globals(config, checkpoints=str(checkpoint), seed=seed)


def validated(config: Mapping[str, Any], *, epochs: int, every: int, epoch_steps: int) -> Config:
    """Return the config of a run whose last epoch is validated, and each so many epochs before.

    PaddleOCR counts steps from 0 in every run, and so does its own `eval_batch_epoch`.

    Args:
        config: Of the training.
        epochs: Of this run, which may go on with a training.
        every: Epochs from a validation to the next.
        epoch_steps: Steps of an epoch.
    """
    period = every * epoch_steps
    first = epochs * epoch_steps % period or period
    return _with_globals(config, eval_batch_step=[first - period, period])


def parted(config: Mapping[str, Any], devices: int) -> Config:
    """Return the config of one of so many ranks: each takes its part of a batch."""
    changed = _with_globals(config, distributed=devices > 1)
    for part in ("Train", "Eval"):
        loader = changed[part]["loader"]
        loader["batch_size_per_card"] = max(1, loader["batch_size_per_card"] // devices)
    if sampler := changed["Train"].get("sampler"):
        sampler["first_bs"] //= devices
    return changed


def uncompiled(config: Mapping[str, Any], output: Path) -> Config:
    """Return the config of a training without `to_static` that says every step, and reads none.

    Args:
        config: Of the training.
        output: Folder for what it saves.
    """
    never = [NEVER, NEVER]
    return _with_globals(
        config,
        to_static=False,
        save_model_dir=str(output),
        save_epoch_step=NEVER,
        eval_batch_step=never,
        print_batch_step=1,
    )


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
