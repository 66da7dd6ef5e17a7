"""A complete bundle without training: its model reads blue as A, green as B, red as C."""

import json
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ocr.bundle import (
    CARD,
    CHARSET,
    GOLDEN_INPUTS,
    GOLDEN_OUTPUTS,
    ONNX_MODEL,
    REQUIRED,
    write_manifest,
)
from ocr.charset import Charset
from ocr.image import Image
from ocr.preprocess import InputSpec

CHARACTERS = ("A", "B", "C")
COLOURS = {"A": (255, 0, 0), "B": (0, 255, 0), "C": (0, 0, 255), " ": (0, 0, 0)}
HEIGHT_PX = 16
CELL_PX = 16


def write_toy_bundle(
    folder: Path,
    *,
    name: str = "toy",
    version: str = "1",
    layout: Literal["fixed", "line"] = "line",
    golden: tuple[str, ...] = ("A B", "CAB "),
    parent: str = "",
    created: str = "2026-11-21T00:00:00Z",
) -> Path:
    """Write a bundle that `read_bundle` accepts; the Paddle forms are empty shells."""
    spec = InputSpec(layout=layout, height_px=HEIGHT_PX, width_px=64)
    for relative in REQUIRED:
        (folder / relative).parent.mkdir(parents=True, exist_ok=True)
        (folder / relative).write_bytes(b"")
    (folder / ONNX_MODEL).write_bytes(toy_model(spec))
    Charset(CHARACTERS).write(folder / CHARSET)
    (folder / CARD).write_text("# toy\n", encoding="utf-8")
    _write_golden(folder, golden)
    write_manifest(
        folder,
        name=name,
        version=version,
        created=created,
        dataset_digest="d" * 64,
        code_commit="",
        parameters={},
        metrics={"accuracy": 1.0},
        parent=parent,
        spec=spec,
        parity={"onnx": 0.0},
    )
    return folder


def draw(text: str) -> Image:
    """Draw a text over A, B, C and space in the toy's font: one coloured cell a character."""
    colours = [COLOURS[character] for character in text for _ in range(CELL_PX)]
    return np.tile(np.array([colours], dtype=np.uint8), (HEIGHT_PX, 1, 1))


def toy_model(spec: InputSpec, *, classes: int = 4) -> bytes:
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
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def _write_golden(folder: Path, texts: tuple[str, ...]) -> None:
    (folder / GOLDEN_INPUTS).mkdir(parents=True, exist_ok=True)
    outputs = []
    for number, text in enumerate(texts):
        file = f"{number:03d}.png"
        cv2.imwrite(str(folder / GOLDEN_INPUTS / file), draw(text))
        outputs.append({"file": file, "text": text.replace(" ", ""), "confidence": 1.0})
    content = json.dumps({"images": outputs})
    (folder / GOLDEN_OUTPUTS).write_text(content, encoding="utf-8")
