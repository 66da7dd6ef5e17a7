"""A real bundle of a few kilobytes whose ONNX model reads grey bars, so that answers are known.

Each character is a bar of 4 columns in one of ten greys, followed by a bar of blank. The same image
reads differently with another charset, so that every answer tells which version gave it.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import REQUIRED, RecogniserManifest, write_manifest
from ocr.models.charset import Charset
from ocr.models.golden import write_golden
from ocr.models.recogniser_spec import LineSpec
from ocr.models.registry import Registry
from tests.manifest_facts import manifest_facts

DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJ"
KANJI = "〇一二三四五六七八九"
GREYS = (5, 30, 55, 80, 100, 155, 175, 200, 225, 250)
BLANK_GREY = 127
SHARPNESS = 500.0
SPEC = LineSpec(layout="line", height_px=8, width_px=64)
GOLDEN = ("0123456789", "9", "42", "777777")


def draw(digits: str) -> Image:
    """Draw the image that a charset reads as its characters at these places."""
    columns = [grey for digit in digits for grey in (GREYS[int(digit)], BLANK_GREY)]
    row = np.repeat(np.array(columns, dtype=np.uint8), 4)
    return np.ascontiguousarray(np.broadcast_to(row[None, :, None], (8, row.size, 3)))


def png(digits: str) -> bytes:
    return encode_png(draw(digits))


def reading(digits: str, characters: str) -> str:
    """Return what a version with this charset reads in `draw(digits)`."""
    return "".join(characters[int(digit)] for digit in digits)


def make_bundle(
    folder: Path,
    *,
    version: str,
    characters: str,
    name: str = "bars",
    golden_characters: str = "",
    model: bytes = b"",
    **facts: str,
) -> Path:
    """Write a bundle; other `golden_characters` or a junk `model` break it with digests intact."""
    for relative in REQUIRED:
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"stand-in")
    Charset(tuple(characters)).write(folder / "charset.txt")
    (folder / "onnx" / "model.onnx").write_bytes(model or onnx_model().SerializeToString())
    texts = {digits: reading(digits, golden_characters or characters) for digits in GOLDEN}
    write_golden(folder, [(draw(digits), {"text": text}) for digits, text in texts.items()])
    write_manifest(
        folder,
        RecogniserManifest(
            **manifest_facts(name=name, version=version, **facts),
            metrics={"accuracy": 1.0},
            input=SPEC,
        ),
    )
    return folder


def register(registry: Registry, folder: Path, *, version: str, characters: str) -> str:
    """Make and register one good version of `bars`; return it."""
    bundle = make_bundle(folder / version, version=version, characters=characters)
    registry.register("bars", version, bundle)
    return version


def onnx_model() -> onnx.ModelProto:
    """Nearest grey of every 4 columns, as probabilities (N, W / 4, 11)."""
    centres = np.array([0.0, *(grey / 127.5 - 1 for grey in GREYS)], dtype=np.float32)
    weights = {
        "slopes": 2 * SHARPNESS * centres,
        "offsets": -SHARPNESS * centres**2,
        "last": np.array([-1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("AveragePool", ["x"], ["bars"], kernel_shape=[8, 4], strides=[8, 4]),
        helper.make_node("ReduceMean", ["bars"], ["greys"], axes=[1, 2], keepdims=0),
        helper.make_node("Unsqueeze", ["greys", "last"], ["column"]),
        helper.make_node("Mul", ["column", "slopes"], ["scaled"]),
        helper.make_node("Add", ["scaled", "offsets"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "bars",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, "W"])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", "T", 11])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
