"""The recogniser in 8 bits: calibrated on training lines."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.models.bundle import INT8_MODEL, ONNX_MODEL
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import fit_line, to_line_batch
from training.forms.int8 import export_int8

CALIBRATION_LINES = 200


def export_int8_lines(bundle: Path, snapshot: LineSnapshot, spec: LineSpec, *, work: Path) -> None:
    """Write the form in 8 bits beside that in float32.

    Args:
        bundle: Has the ONNX form.
        snapshot: Its first training lines tell the range of every activation.
        spec: The input of the net.
        work: A folder for what is needed on the way.
    """
    export_int8(bundle / ONNX_MODEL, bundle / INT8_MODEL, _inputs(snapshot, spec), work=work)


def _inputs(snapshot: LineSnapshot, spec: LineSpec) -> Iterator[NDArray[np.float32]]:
    for _, image in islice(snapshot.images("train"), CALIBRATION_LINES):
        yield to_line_batch([fit_line(image, spec)], spec)
