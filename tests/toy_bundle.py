"""Complete bundles without training: colours on black are text, blue reads A, green B, red C."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ocr.image.pixels import Image
from ocr.models.bundle import (
    CARD,
    CHARSET,
    FORM_FILES,
    ONNX_MODEL,
    REQUIRED,
    TEXT_MODEL,
    DetectorManifest,
    RecogniserManifest,
    write_manifest,
)
from ocr.models.charset import Charset
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.models.golden import write_golden
from ocr.models.recogniser_spec import LineSpec
from ocr.models.text_model import TextModel, count_ngrams
from tests.manifest_facts import manifest_facts

CHARACTERS = ("A", "B", "C")
COLOURS = {"A": (255, 0, 0), "B": (0, 255, 0), "C": (0, 0, 255), " ": (0, 0, 0)}
DOUBTFUL = "?C"
"""In its first frame the net sees A or B, A being a little more likely."""
HEIGHT_PX = 16
CELL_PX = 16
GOLDEN = ("A B", "CAB ")
PAGE = PageSpec(long_side_px=320)
RULE = BoxRule(threshold=0.5, box_threshold=0.6, unclip_ratio=0.1, crop_unclip_ratio=0.3)

Lines = dict[tuple[int, int], str]
"""Texts by the top left corner (x, y) of their first cell."""

PAGES: tuple[Lines, ...] = (
    {(32, 32): "ABC", (32, 96): "CAB", (160, 96): "B"},
    {(64, 128): "ACACAB"},
)


def write_toy_bundle(
    folder: Path,
    *,
    name: str = "toy",
    version: str = "1",
    layout: Literal["fixed", "line"] = "line",
    parent: str = "",
    created: str = "2026-11-21T00:00:00Z",
    texts: Sequence[str] = (),
    **facts: str,
) -> Path:
    """Write a bundle that `read_recogniser_bundle` accepts; the Paddle forms are empty shells.

    Given texts, it has a model of them and reads DOUBTFUL as they do.
    """
    spec = LineSpec(layout=layout, height_px=HEIGHT_PX, width_px=64)
    for relative in REQUIRED:
        (folder / relative).parent.mkdir(parents=True, exist_ok=True)
        (folder / relative).write_bytes(b"")
    (folder / ONNX_MODEL).write_bytes(toy_model(spec))
    Charset(CHARACTERS).write(folder / CHARSET)
    (folder / CARD).write_text("# toy\n", encoding="utf-8")
    golden = [(draw(text), {"text": text.replace(" ", "")}) for text in GOLDEN]
    if texts:
        TextModel(*count_ngrams(texts, Charset(CHARACTERS)), weight=1.0).write(folder / TEXT_MODEL)
        golden.append((draw(DOUBTFUL), {"text": DOUBTFUL.replace("?", "B"), "greedy": "AC"}))
    write_golden(folder, golden)
    write_manifest(
        folder,
        RecogniserManifest(
            **manifest_facts(name=name, version=version, created=created, parent=parent, **facts),
            metrics={"accuracy": 1.0},
            input=spec,
        ),
    )
    return folder


def write_toy_detection_bundle(
    folder: Path,
    *,
    name: str = "toy-detector",
    version: str = "1",
    pages: tuple[Lines, ...] = PAGES,
    parent: str = "",
    created: str = "2026-11-21T00:00:00Z",
    **facts: str,
) -> Path:
    """Write a bundle that `read_detector_bundle` accepts; the Paddle forms are empty shells."""
    for relative in FORM_FILES:
        (folder / relative).parent.mkdir(parents=True, exist_ok=True)
        (folder / relative).write_bytes(b"")
    (folder / ONNX_MODEL).write_bytes(toy_detector())
    (folder / CARD).write_text("# toy\n", encoding="utf-8")
    write_golden(folder, [(draw_page(lines), {"boxes": _boxes(lines)}) for lines in pages])
    write_manifest(
        folder,
        DetectorManifest(
            **manifest_facts(name=name, version=version, created=created, parent=parent, **facts),
            metrics={"hmean": 1.0},
            input=PAGE,
            boxes=RULE,
        ),
    )
    return folder


def draw_page(lines: Lines, *, width_px: int = 320, height_px: int = 192) -> Image:
    """Draw lines over A, B and C on black: what the toy detector finds and the toy reads."""
    page = np.zeros((height_px, width_px, 3), dtype=np.uint8)
    for (x, y), text in lines.items():
        line = draw(text)
        page[y : y + line.shape[0], x : x + line.shape[1]] = line
    return page


def toy_detector() -> bytes:
    """An ONNX model that takes every pixel with a bright channel for text."""
    nodes = [
        helper.make_node("Conv", ["x", "weights", "bias"], ["logits"]),
        helper.make_node("Sigmoid", ["logits"], ["probabilities"]),
    ]
    graph = helper.make_graph(
        nodes,
        "toy-detector",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, "H", "W"])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 1, "H", "W"])],
        [
            numpy_helper.from_array(np.full((1, 3, 1, 1), 10, dtype=np.float32), "weights"),
            numpy_helper.from_array(np.array([20], dtype=np.float32), "bias"),
        ],
    )
    return _serialize(graph)


def draw(text: str) -> Image:
    """Draw a text over A, B, C, space and ? in the toy's font: one coloured cell a character."""
    colours = [column for character in text for column in _cell(character)]
    return np.tile(np.array([colours], dtype=np.uint8), (HEIGHT_PX, 1, 1))


def _cell(character: str) -> list[tuple[int, int, int]]:
    if character == "?":
        return [(200, 198, 0)] * 4 + [COLOURS[" "]] * (CELL_PX - 4)
    return [COLOURS[character]] * CELL_PX


def toy_model(spec: LineSpec, *, classes: int = 4) -> bytes:
    """An ONNX model that scores every four columns by their mean colour."""
    weights = np.zeros((classes, 3, spec.height_px, 4), dtype=np.float32)
    for channel in range(3):
        weights[channel + 1, channel] = 10.0 / (spec.height_px * 4)
    width: int | str = spec.width_px if spec.layout == "fixed" else "W"
    frames: int | str = spec.width_px // 4 if spec.layout == "fixed" else "T"
    strides = [spec.height_px, 4]
    nodes = [
        helper.make_node("Conv", ["x", "weights"], ["scores"], strides=strides),
        helper.make_node("Squeeze", ["scores", "axis"], ["flat"]),
        helper.make_node("Transpose", ["flat"], ["frames"], perm=[0, 2, 1]),
        helper.make_node("Softmax", ["frames"], ["probabilities"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "toy",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, spec.height_px, width])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", frames, classes])],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "axis"),
        ],
    )
    return _serialize(graph)


def _serialize(graph: onnx.GraphProto) -> bytes:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def _boxes(lines: Lines) -> list[list[list[int]]]:
    return [corners(x, y, CELL_PX * len(text), HEIGHT_PX) for (x, y), text in lines.items()]


def corners(x: int, y: int, width: int, height: int) -> list[list[int]]:
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
