"""The detector in 8 bits: calibrated on training pages."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.models.bundle import INT8_MODEL, ONNX_MODEL
from ocr.models.detector_spec import PageSpec
from ocr.reading.detection.page_input import fit_page, to_page_input
from training.forms.int8 import export_int8

CALIBRATION_PAGES = 12


def export_int8_pages(bundle: Path, snapshot: PageSnapshot, spec: PageSpec, *, work: Path) -> None:
    """Write the form in 8 bits beside that in float32.

    Args:
        bundle: Has the ONNX form.
        snapshot: Its first training pages tell the range of every activation.
        spec: The input of the net.
        work: A folder for what is needed on the way.
    """
    export_int8(bundle / ONNX_MODEL, bundle / INT8_MODEL, _inputs(snapshot, spec), work=work)


def _inputs(snapshot: PageSnapshot, spec: PageSpec) -> Iterator[NDArray[np.float32]]:
    for _, image in islice(snapshot.images("train"), CALIBRATION_PAGES):
        yield to_page_input(fit_page(image, spec), spec)
