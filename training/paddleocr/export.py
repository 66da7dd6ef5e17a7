"""How a checkpoint of PaddleOCR's trainer becomes a bundle: its forms were exported already."""

import shutil
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.models.charset import Charset
from training.forms.predictor import Predictor
from training.forms.static_graph import PARAMETERS
from training.paddleocr.checkpoint import (
    LEGACY,
    LEGACY_MODEL,
    MODEL,
    PADDLE,
    read_spec,
)
from training.recognition.export import RecogniserExport


class ExportedNet:
    """The forms of a checkpoint; the one that answers is what PaddleOCR's exporter wrote."""

    def __init__(self, checkpoint: Path) -> None:
        """Take a checkpoint."""
        self._checkpoint = checkpoint

    def answer(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of a batch (N, 3, H, W)."""
        return self._predictor(x)

    @cached_property
    def _predictor(self) -> Predictor:  # the legacy export never asks
        folder = self._checkpoint / PADDLE
        return Predictor(folder / MODEL, folder / PARAMETERS, onednn=False)

    def save(self, folder: Path, *, legacy: bool) -> None:
        """Copy model and parameters."""
        source = self._checkpoint / (LEGACY if legacy else PADDLE)
        for name in (LEGACY_MODEL if legacy else MODEL, PARAMETERS):
            shutil.copyfile(source / name, folder / name)


def load_exported(checkpoint: Path) -> RecogniserExport:
    """Load a checkpoint of PaddleOCR's trainer.

    Raises:
        BadData: It is damaged.
    """
    spec = read_spec(checkpoint)
    for form, model in ((PADDLE, MODEL), (LEGACY, LEGACY_MODEL)):
        for name in (model, PARAMETERS):
            if not (checkpoint / form / name).is_file():
                raise BadData(f"The checkpoint has no {form}/{name}")
    return RecogniserExport(
        ExportedNet(checkpoint),
        spec.input,
        Charset(spec.charset),
        description=f"A text-line recogniser trained by PaddleOCR: {spec.net}",
    )
