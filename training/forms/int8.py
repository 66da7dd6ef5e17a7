"""The ONNX form in 8 bits: its convolutions but the first, quantised once and for all (static).

Weights have 7 bits, by output channel. A processor without VNNI adds two products of 8 bits in 16,
which may not hold them; of 7 and 8 bits it holds any, so that every machine gets the same sums.
The first convolution and what follows the last stay float32: there a step of rounding shows most.
A ReLU after a convolution becomes a part of it: its result is rounded once, over what is left.
"""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.quant_utils import add_pre_process_metadata

from ocr.errors import OcrError
from ocr.evaluation.int8 import Int8Price
from ocr.models.bundle import INT8_MODEL, ONNX_MODEL
from ocr.reading.onnx_session import QUIET

CONVOLUTION, RELU = "Conv", "Relu"


class QuantisationFailed(OcrError, RuntimeError):
    """A net that has no form in 8 bits."""


def export_int8(
    model: Path, path: Path, inputs: Iterable[NDArray[np.float32]], *, work: Path
) -> None:
    """Quantise an ONNX form.

    Args:
        model: The form in float32.
        path: The file to write.
        inputs: Inputs of the net as it will meet them, (N, 3, H, W) each: they tell the range of
            every activation.
        work: A folder for what is needed on the way, a copy of the net.

    Raises:
        QuantisationFailed: It has fewer than two convolutions, or numbers that are not finite.
        OSError: The disk is full.
    """
    with tempfile.TemporaryDirectory(dir=work) as folder:
        fused = Path(folder) / model.name
        convolutions = _fuse(model, fused)
        if len(convolutions) < 2:
            raise QuantisationFailed(
                f"The net has {len(convolutions)} convolutions, in 8 bits is what follows the "
                "first: retrain it with int8: false"
            )
        try:
            quantize_static(
                fused,
                path,
                _Inputs(inputs),
                quant_format=QuantFormat.QDQ,
                op_types_to_quantize=[CONVOLUTION, RELU],
                nodes_to_exclude=convolutions[:1],
                per_channel=True,
                reduce_range=True,
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                calibrate_method=CalibrationMethod.MinMax,
            )
        except (AssertionError, ValueError) as error:  # a scale of NaN, no input
            raise QuantisationFailed(
                f"The net has no form in 8 bits ({error}): retrain it with int8: false"
            ) from error


def add_int8(
    bundle: Path,
    inputs: Iterable[NDArray[np.float32]],
    weigh: Callable[[], Int8Price | None],
    *,
    work: Path,
) -> Int8Price | None:
    """Quantise a bundle's net, and keep that if it pays.

    Args:
        bundle: Has the ONNX form.
        inputs: As `export_int8` takes them.
        weigh: Reads with both forms; None: there was nothing to tell by.
        work: A folder for what is needed on the way.

    Returns:
        The price, whether it pays or not.
    """
    export_int8(bundle / ONNX_MODEL, bundle / INT8_MODEL, inputs, work=work)
    price = weigh()
    if price is None or not price.pays:
        (bundle / INT8_MODEL).unlink()
    return price


class _Inputs(CalibrationDataReader):  # type: ignore[misc] # it is untyped
    def __init__(self, inputs: Iterable[NDArray[np.float32]]) -> None:
        self._inputs = iter(inputs)

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        x = next(self._inputs, None)
        return None if x is None else {"x": x}


def _fuse(model: Path, path: Path) -> list[str]:
    """Write a net whose batch norms are part of its convolutions, as they will run.

    Returns:
        The names of the convolutions, in the order in which they run.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    options.log_severity_level = QUIET
    onnxruntime.InferenceSession(model.read_bytes(), options, providers=["CPUExecutionProvider"])
    fused = onnx.load(str(path))
    for number, node in enumerate(fused.graph.node):
        node.name = node.name or f"node {number}"  # the one to leave out is told by its name
    add_pre_process_metadata(fused)  # else the quantiser warns that nobody did this
    onnx.save(fused, str(path))
    return [node.name for node in fused.graph.node if node.op_type == CONVOLUTION]
