"""The ONNX graph of a small net of PP-OCRv6: its weights by our names, and its first part."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from ocr.reading.onnx_session import open_session
from training.forms.exportable import Run
from training.loop.checkpoint import Arrays
from training.ppocr_v6.wheel import WheelFile, read_wheel_file

NORM = ("weight", "bias", "_mean", "_variance")
EPSILON = 1e-5
FEED = "x"
PLAIN = (".reduce", ".expand", ".enlarge", ".map")
"""Convolutions of these names have a bias; the others a batch norm, or neither."""


class PretrainedGraph:
    """The graph as the wheel has it; its nodes and names are known, as its digest is checked."""

    def __init__(self, file: WheelFile) -> None:
        """Read it.

        Raises:
            BadInput: The wheel is not installed, or another.
        """
        self._model = onnx.load_model_from_string(read_wheel_file(file))
        self._nodes = list(self._model.graph.node)
        self.stored = {t.name: numpy_helper.to_array(t) for t in self._model.graph.initializer}
        self._copied = {n.output[0]: n.input[0] for n in self._nodes if n.op_type == "Identity"}

    def metadata(self, key: str) -> str:
        """Return an entry of the file's metadata."""
        (value,) = (each.value for each in self._model.metadata_props if each.key == key)
        return str(value)

    def convolutions(self, names: Sequence[str]) -> Arrays:
        """Return the weights of all convolutions, in the order of the graph, under their names."""
        found: Arrays = {}
        nodes = (node for node in self._nodes if node.op_type in ("Conv", "ConvTranspose"))
        for name, node in zip(names, nodes, strict=True):
            followers = list(self._followers(node))
            added = followers[0].input[1:] if len(followers) == 1 else ()
            kernel, *values = (self._tensor(each) for each in (node.input[1], *added))
            found |= _convolution(name, kernel, values)
        return found

    def open_front(self, block: int) -> Run:
        """Return what computes the input of a block from pixels (N, 3, H, W), on one thread."""
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

    def _followers(self, node: Any) -> Iterator[Any]:
        for each in self._nodes:
            taken = (self._origin(name) for name in each.input)
            if each.op_type != "Identity" and node.output[0] in taken:
                yield each

    def _tensor(self, name: str) -> NDArray[Any]:
        return np.asarray(self.stored[self._origin(name)])

    def _origin(self, name: str) -> str:
        while name in self._copied:
            name = self._copied[name]
        return name


def _convolution(name: str, kernel: NDArray[Any], values: list[NDArray[Any]]) -> Arrays:
    """A convolution's own bias is a batch norm that changes nothing else."""
    if not values:
        return {f"{name}.weight": kernel}
    if name.endswith(PLAIN):
        return {f"{name}.weight": kernel, f"{name}.bias": values[0].reshape(-1)}
    if len(values) == 1:
        bias = values[0].reshape(-1)
        variance = np.full(len(bias), 1 - EPSILON, np.float32)
        values = [np.ones(len(bias), np.float32), bias, np.zeros(len(bias), np.float32), variance]
    norm = {f"{name}.norm.{part}": value for part, value in zip(NORM, values, strict=True)}
    return {f"{name}.conv.weight": kernel, **norm}


def _is_depthwise_3x3(node: Any) -> bool:
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return bool(values.get("group", 1) > 1 and values["kernel_shape"] == [3, 3])
