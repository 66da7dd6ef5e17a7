"""Configs of a tree that somebody changed: read, or refused in one sentence."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.paddleocr import (
    PaddleOcrDetectorParams,
    PaddleOcrParams,
    PaddleOcrRecogniserParams,
)
from ocr.errors import BadInput
from tests.paddleocr_tree import find_tree
from training.paddleocr.config import JobFiles
from training.paddleocr.detection import config as detection
from training.paddleocr.recognition import config as recognition

GONE = object()
OTHERS: tuple[Any, ...] = (GONE, None, "text", [], {}, [1, 2], [{}], {"a": 1})
FILES = JobFiles.of(Path("/job"))


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = dict(enumerate(value)) if isinstance(value, list) else value
    for key, child in items.items() if isinstance(items, dict) else ():
        yield (*above, key)
        yield from paths(child, (*above, key))


def put(config: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = part = deepcopy(config)
    *parents, key = path
    for parent in parents:
        part = part[parent]
    if value is GONE:
        del part[key]
    else:
        part[key] = deepcopy(value)
    return changed


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is read of any file of the tree, once it is filled."""
    config: dict[str, Any] = {}
    monkeypatch.setattr(yaml, "safe_load", lambda _: deepcopy(config))
    return config


def odd_configs(path: Path, upstream: dict[str, Any]) -> Iterator[None]:
    whole = yaml.load(path.read_text(encoding="utf-8"), yaml.SafeLoader)
    for changed in (put(whole, where, other) for where in paths(whole) for other in OTHERS):
        upstream.clear()
        upstream.update(changed)
        yield


@pytest.mark.parametrize(
    ("room", "training", "images"),
    [
        (recognition, PaddleOcrRecogniserParams(net="pp-ocrv5-mobile"), "lines"),
        (recognition, PaddleOcrRecogniserParams(), "lines"),
        (detection, PaddleOcrDetectorParams(net="pp-ocrv5-mobile"), "pages"),
        (detection, PaddleOcrDetectorParams(), "pages"),
    ],
)
def test_a_config_with_odd_parts_is_read_or_refused(
    room: Any, training: PaddleOcrParams, images: str, upstream: dict[str, Any]
) -> None:
    tree, net = find_tree(), training.net
    for _ in odd_configs(tree / room.FAMILIES.get(net, net), upstream):
        with suppress(BadInput):
            config = room.read_upstream(tree, net)
            room.make_config(config, training, files=FILES, gpu=False, **{images: 100})


def test_the_part_that_is_wrong_is_named(upstream: dict[str, Any]) -> None:
    tree, net = find_tree(), "configs/det/det_mv3_db.yml"
    whole = yaml.load((tree / net).read_text(encoding="utf-8"), yaml.SafeLoader)
    upstream.update(put(whole, ("Optimizer", "lr"), [1, 2]))

    with pytest.raises(BadInput) as refused:
        detection.read_upstream(tree, net)

    assert str(refused.value) == (
        f"training.net: {net} is no training's config: Optimizer.lr: "
        "input should be a valid dictionary"
    )
