"""A checkpoint of PaddleOCR's trainer: its weights and config, and the two forms it exports."""

import shutil
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from training.forms.predictor import Predictor
from training.forms.static_graph import PARAMETERS

SPEC = "exported.json"
"""What the net takes and gives; only a checkpoint of PaddleOCR's trainer has it."""
CONFIG = "config.yml"
WEIGHTS = "weights.pdparams"
PADDLE = "paddle"
LEGACY = "legacy"
MODEL = "inference.json"
LEGACY_MODEL = "inference.pdmodel"
FORMS = ((PADDLE, MODEL), (LEGACY, LEGACY_MODEL))


def is_exported(checkpoint: Path) -> bool:
    """Say whether PaddleOCR's trainer left a checkpoint."""
    return (checkpoint / SPEC).is_file()


def load_net(checkpoint: Path, *, onednn: bool) -> Predictor:
    """Load the form that PaddleOCR's exporter wrote for PIR."""
    folder = checkpoint / PADDLE
    return Predictor(folder / MODEL, folder / PARAMETERS, onednn=onednn)


class ExportedNet:
    """The forms of a checkpoint; the one that answers is what PaddleOCR's exporter wrote."""

    def __init__(self, checkpoint: Path) -> None:
        """Take a checkpoint.

        Raises:
            BadData: It lacks a form.
        """
        self._checkpoint = checkpoint
        for form, model in FORMS:
            for name in (model, PARAMETERS):
                if not (checkpoint / form / name).is_file():
                    raise BadData(f"The checkpoint has no {form}/{name}")

    def answer(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of a batch (N, 3, H, W)."""
        return self._predictor(x)

    @cached_property
    def _predictor(self) -> Predictor:  # the legacy export never asks
        return load_net(self._checkpoint, onednn=False)

    def save(self, folder: Path, *, legacy: bool) -> None:
        """Copy model and parameters."""
        source = self._checkpoint / (LEGACY if legacy else PADDLE)
        for name in (LEGACY_MODEL if legacy else MODEL, PARAMETERS):
            shutil.copyfile(source / name, folder / name)
