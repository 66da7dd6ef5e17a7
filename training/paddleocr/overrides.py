"""A user's own values for a foreign config, of which no key may be new; what parameters replace."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from configs.paddleocr import PaddleOcrParams
from ocr.errors import BadInput

WHERE = "training.overrides"
RATES = {
    f"Optimizer.lr.{key}": (None, "training.learning_rate") for key in ("learning_rate", "values")
}
"""Keys that say how fast, and what sets them."""
_PARAMETERS = {
    "Global.epoch_num": "epochs",
    "Optimizer.lr.learning_rate": "learning_rate",
    "Optimizer.lr.values": "learning_rate",
    "Train.loader.batch_size_per_card": "batch_size",
    "Global.pretrained_model": "pretrained",
    "Global.use_amp": "amp",
    "Global.max_text_length": "max_text_length",
    "Train.dataset.transforms.RecResizeImg.image_shape": "width_px",
    "Train.dataset.transforms.EastRandomCropData.size": "crop_width_px",
}
"""Parameters by the key that they set, of which a net's file may say something else."""
_OF_READING = ("max_text_length", "width_px")
"""Those that hold of a net that learns nothing, too."""
_FILES = re.compile(r"(.*_)?(path|file|dir|pretrained|checkpoints|profiler_options)")
"""Keys of files: their content would be in no digest, and PaddleOCR unpickles some of it."""
_SHOWN = 80
_PLAIN = re.compile(r"[\w .:+,-]*")
"""PaddleOCR hands names of its config to Python's eval: nothing that could call may stand there."""


def override(
    config: Mapping[str, Any],
    overrides: Mapping[str, Any],
    *,
    ours: Mapping[str, tuple[Any, str]],
) -> dict[str, Any]:
    """Return a copy of a config with values of a user.

    Args:
        config: The config.
        overrides: Its keys, nested as there; an item of a list is named by its number, from 0.
        ours: Keys, as `a.b`, that are not the user's, nor is what is under them; each with a
            value and what sets it, or nothing.

    Raises:
        BadInput: A key is unknown, is ours, or holds a group and not a value; a value is no plain
            one.
    """
    changed = deepcopy(dict(config))
    _apply(changed, overrides, path=(), ours=ours)
    return changed


def name_replaced(
    upstream: Mapping[str, Any], config: Mapping[str, Any], training: PaddleOcrParams
) -> str:
    """Name what the net's file says and a parameter replaces; empty: nothing.

    Args:
        upstream: The config of the tree.
        config: Of the training.
        training: Its parameters.
    """
    said = [
        f"training.{name} {getattr(training, name)!r} ({_shown(there)} there)"
        for path, name in _PARAMETERS.items()
        if training.epochs or name in _OF_READING
        if (there := _look_up(upstream, path)) and there != _look_up(config, path)
    ]
    return f"not as {training.net} has it: {', '.join(said)}" * bool(said)


def _shown(there: object) -> str:
    """Say a value in one line, of an address its file alone: the rest may hold a password."""
    text, is_address, rest = str(there).partition("://")
    if is_address:
        text = "…/" + re.split("[?#]", rest)[0].rpartition("@")[2].rpartition("/")[2]
    return f"{text if text.isprintable() else repr(text):.{_SHOWN}}"


def _look_up(config: Any, path: str) -> Any:
    """Return what stands under a key, of a list in the item that has it; None: nothing."""
    for key in path.split("."):
        groups = config if isinstance(config, list) else [config]
        config = next((each[key] for each in groups if each and key in each), None)
    return config


def check_kept(config: Mapping[str, Any], overrides: Mapping[str, Any]) -> None:
    """Refuse values that the job replaced after all: nobody would know that they do not count.

    Raises:
        BadInput: Naming the first.
    """
    for path, wanted in _leaves(overrides, ()):
        found: Any = config
        for key in path:
            found = found[_find(found, key, path)]
        if found != wanted:
            raise BadInput(
                f"{WHERE}.{'.'.join(path)}: {wanted!r} is not allowed; the parameters of the "
                f"training make it {found!r}"
            )


def _leaves(
    overrides: Mapping[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in overrides.items():
        here = (*path, str(key))
        if isinstance(value, Mapping):
            yield from _leaves(value, here)
        else:
            yield here, value


def _apply(
    config: Any,
    overrides: Mapping[str, Any],
    *,
    path: tuple[str, ...],
    ours: Mapping[str, tuple[Any, str]],
) -> None:
    for written, value in overrides.items():
        here = (*path, str(written))
        key = _find(config, str(written), here)
        name = ".".join(here)
        if name in ours:
            by = ours[name][1]
            raise BadInput(f"{WHERE}.{name} is set by {by or 'the job'}, and cannot be overridden")
        if _FILES.fullmatch(str(key)):
            raise BadInput(f"{WHERE}.{name} names a file, which no override may: {value!r}")
        if isinstance(config[key], dict | list) and isinstance(value, Mapping):
            _apply(config[key], value, path=here, ours=ours)
            continue
        _check_kind(config[key], value, name)
        _check_plain(value, name)
        config[key] = deepcopy(value)  # what the job sets in it later is none of the user's


def _find(config: Any, key: str, path: tuple[str, ...]) -> Any:
    """Return the key as the group or list has it."""
    known = range(len(config)) if isinstance(config, list) else config
    found = {str(one): one for one in known}
    if key in found:
        return found[key]
    parents = ".".join(path[:-1])
    close = get_close_matches(key, found, n=3)
    said = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(found)}"
    raise BadInput(
        f"{WHERE}.{'.'.join(path)}: PaddleOCR's {parents or 'config'} has no such key; {said}"
    )


def _check_kind(before: Any, value: Any, name: str) -> None:
    """Refuse a value in the place of a group, and a group in the place of a value."""
    for kind, said in ((dict, "a group of keys"), (list, "a list")):
        if before is not None and isinstance(before, kind) != isinstance(value, kind):
            expected = said if isinstance(before, kind) else f"a value such as {before!r}"
            raise BadInput(f"{WHERE}.{name}: {value!r} is not allowed; expected {expected}")
    if isinstance(before, list) and any(isinstance(item, dict) for item in (*before, *value)):
        items = ", ".join(f"{number}: {next(iter(item), '')}" for number, item in _groups(before))
        raise BadInput(
            f"{WHERE}.{name}: a list of groups cannot be replaced; name keys of its items by "
            f"number, from 0 ({items})"
        )


def _groups(items: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    return ((number, item) for number, item in enumerate(items) if isinstance(item, dict))


def _check_plain(value: Any, name: str) -> None:
    """Refuse text that is more than a name or a number."""
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    for item in value if isinstance(value, list) else ():
        _check_plain(item, name)
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        raise BadInput(
            f"{WHERE}.{name}: {value!r} is not allowed; expected letters, digits and .:+,-_ only, "
            "as PaddleOCR evaluates names as Python"
        )


def set_learning_rate(config: Mapping[str, Any], peak: float) -> None:
    """Set the highest rate of a schedule; one of steps keeps what they are to each other.

    Raises:
        BadInput: It has neither a highest rate nor steps.
    """
    schedule = config["Optimizer"]["lr"]
    values = schedule.get("values")
    if "learning_rate" in schedule:
        schedule["learning_rate"] = peak
    elif isinstance(values, list) and values and all(_is_rate(value) for value in values):
        schedule["values"] = [peak * value / max(values) for value in values]
    else:
        name = schedule.get("name", "its schedule")
        raise BadInput(f"training.net: Optimizer.lr of it is {name}, which takes no learning_rate")


def _is_rate(value: Any) -> bool:
    return isinstance(value, float | int) and 0 < value <= 1
