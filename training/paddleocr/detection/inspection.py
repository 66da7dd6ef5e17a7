"""Asks an exported detector what it takes."""

from pathlib import Path

import numpy as np

from configs.jobs import TrainPaddleOcrDetectorJob
from ocr.errors import TrainingFailed
from ocr.models.detector_spec import PageSpec
from training.forms.paddle import preprocessing, read_config
from training.paddleocr.checkpoint import PADDLE, load_net
from training.paddleocr.detection.config import NORMALISE

SIZES = ((64, 96), (96, 64))
"""Heights and widths of pages that are shown to the net."""


def find_spec(job: TrainPaddleOcrDetectorJob, checkpoint: Path) -> PageSpec:
    """Find what the net of a checkpoint takes.

    Raises:
        TrainingFailed: It gives no map of a page.
    """
    steps = preprocessing(read_config(checkpoint / PADDLE))
    mean, std = (tuple(steps[NORMALISE][name]) for name in ("mean", "std"))
    _check_map(checkpoint)
    return PageSpec(job.training.long_side_px, mean=mean, std=std)


def _check_map(checkpoint: Path) -> None:
    """Run the net on two sizes: a map is as large as its page, and holds probabilities."""
    net = load_net(checkpoint, onednn=False)
    for size in SIZES:
        try:
            found = net(np.zeros((1, 3, *size), dtype=np.float32))
        except (RuntimeError, ValueError, OSError) as error:
            reason = str(error).strip().splitlines()[-1]
            raise TrainingFailed(
                f"The exported net reads no page of {size} px: {reason}"
            ) from error
        if found.shape != (1, 1, *size) or not 0 <= found.min() <= found.max() <= 1:
            raise TrainingFailed(
                f"The net gives {found.shape} from {found.min()} to {found.max()}, expected a map "
                f"of probabilities (1, 1, {size[0]}, {size[1]})"
            )
