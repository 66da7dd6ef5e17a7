"""The ONNX graph of PP-OCRv6's small recogniser: its weights by our names, and its first part."""

import copy
from functools import cached_property
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from ocr.reading.onnx_session import open_session
from training.forms.exportable import Run
from training.loop.checkpoint import Arrays
from training.recognition.ppocr_v6.net import BLOCKS
from training.recognition.ppocr_v6.wheel import read_wheel_file

NORM = ("weight", "bias", "_mean", "_variance")
EPSILON = 1e-5
FEED = "x"


class PretrainedGraph:
    """The graph as the wheel has it; its nodes and names are known, as its digest is checked.

    Attributes:
        characters: The characters of its classes 1 and up.
    """

    def __init__(self) -> None:
        """Read it.

        Raises:
            BadInput: The wheel is not installed, or another.
        """
        self._model = onnx.load_model_from_string(read_wheel_file())
        self._nodes = list(self._model.graph.node)
        (listed,) = (p.value for p in self._model.metadata_props if p.key == "character")
        self.characters = (*listed.splitlines(), " ")

    @cached_property
    def weights(self) -> Arrays:
        """Weights and statistics under the names of `PretrainedNet`, the head as it is."""
        stored = {t.name: numpy_helper.to_array(t) for t in self._model.graph.initializer}
        found: Arrays = {}
        convolutions = [node for node in self._nodes if node.op_type == "Conv"]
        for name, node in zip(_convolution_names(), convolutions, strict=True):
            (follower,) = (n for n in self._nodes if node.output[0] in n.input)
            values = [stored[each] for each in follower.input[1:]]
            found |= _convolution(name, stored[node.input[1]], values)
        for number, name in enumerate(_linear_names()):
            found[f"{name}.weight"] = stored[f"linear_{number}.w_0"]
            found[f"{name}.bias"] = stored[f"linear_{number}.b_0"]
        for number, name in enumerate(_norm_names()):
            found[f"{name}.weight"] = stored[f"helper.reshape.{2 * number}"].reshape(-1)
            found[f"{name}.bias"] = stored[f"helper.reshape.{2 * number + 1}"].reshape(-1)
        return found

    def open_front(self, block: int) -> Run:
        """Return what computes the input of a block from pixels (N, 3, 48, W), on one thread."""
        depthwise = [node for node in self._nodes if _is_depthwise_3x3(node)]
        name = depthwise[block].input[0]
        model = copy.deepcopy(self._model)
        kept, wanted = [], {name}
        for node in reversed(self._nodes):
            if wanted.intersection(node.output):
                kept.append(node)
                wanted |= set(node.input)
        graph = model.graph
        tensors = [tensor for tensor in graph.initializer if tensor.name in wanted]
        output = helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        for field, values in (
            (graph.node, kept[::-1]),
            (graph.initializer, tensors),
            (graph.output, [output]),
            (graph.value_info, []),
        ):
            del field[:]
            field.extend(values)
        session = open_session(model.SerializeToString(), name="ppocr-v6-small", threads=1)

        def run(x: NDArray[np.float32]) -> NDArray[np.float32]:
            return np.asarray(session.run(None, {FEED: x})[0], dtype=np.float32)

        return run


def _convolution(name: str, kernel: NDArray[Any], values: list[NDArray[Any]]) -> Arrays:
    """A convolution's own bias is a batch norm that changes nothing else."""
    if name.endswith((".reduce", ".expand")):
        return {f"{name}.weight": kernel, f"{name}.bias": values[0].reshape(-1)}
    if len(values) == 1:
        channels = len(kernel)
        bias = values[0].reshape(-1)
        variance = np.full(channels, 1 - EPSILON, np.float32)
        values = [np.ones(channels, np.float32), bias, np.zeros(channels, np.float32), variance]
    norm = {f"{name}.norm.{part}": value for part, value in zip(NORM, values, strict=True)}
    return {f"{name}.conv.weight": kernel, **norm}


def _convolution_names() -> list[str]:
    names = [f"stem.{number}" for number in ("first", "second", "third", "fourth", "fifth")]
    for number, shape in enumerate(BLOCKS):
        parts = ["depthwise", "widen", "narrow"]
        if shape.excites:
            parts[1:1] = ["excitation.reduce", "excitation.expand"]
        names += [f"blocks.{number}.{part}" for part in parts]
    return [*names, "neck.short", "neck.enter", "neck.along"]


def _linear_names() -> list[str]:
    parts = ("mix", "project", "widen", "narrow")
    return [*(f"neck.layers.{n}.{part}" for n in (0, 1) for part in parts), "head.linear"]


def _norm_names() -> list[str]:
    layers = [f"neck.layers.{n}.{part}" for n in (0, 1) for part in ("norm", "second_norm")]
    return [*layers, "neck.norm"]


def _is_depthwise_3x3(node: Any) -> bool:
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return bool(values.get("group", 1) > 1 and values["kernel_shape"] == [3, 3])
