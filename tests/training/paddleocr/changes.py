"""What one of PaddleOCR's configs has and another has not."""

from collections.abc import Iterator
from typing import Any


def changes(before: Any, after: Any) -> dict[str, Any]:
    """Return the values that are new or others, by their path."""
    old = dict(_leaves(before))
    return {path: value for path, value in _leaves(after) if path not in old or old[path] != value}


def override(path: str, value: Any) -> dict[str, Any]:
    """Return the overrides of one key."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return {"overrides": value}


def _leaves(config: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(config, dict) and config:
        for key, value in config.items():
            yield from _leaves(value, f"{path}.{key}".lstrip("."))
    elif isinstance(config, list) and any(isinstance(each, dict) for each in config):
        for number, value in enumerate(config):
            yield from _leaves(value, f"{path}.{number}")
    else:
        yield path, config
