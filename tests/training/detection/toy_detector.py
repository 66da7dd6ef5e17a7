"""A detector without training: its weights are set so that all but black is text."""

from pathlib import Path
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray

from ocr.models.detector_spec import BoxRule, PageSpec
from training.detection.checkpoint import save_detector
from training.detection.net import DetectorNetSpec, build_detector_net
from training.loop.checkpoint import Arrays, read_weights

RULE = BoxRule(threshold=0.4, box_threshold=0.6, unclip_ratio=0.2, crop_unclip_ratio=0.5)
CELLS = 16
"""Pixels of the map within one pixel of the stem, which are as many channels of it."""


def save_toy_detector(folder: Path, *, long_side_px: int = 320) -> Path:
    """Write a checkpoint that finds what `tests.toy_bundle.draw_page` draws."""
    folder.mkdir(parents=True)
    spec = DetectorNetSpec(PageSpec(long_side_px), size="small")
    paddle.seed(3)
    save_detector(folder, weights=toy_weights(build_detector_net(spec)), spec=spec, rule=RULE)
    return folder


def toy_weights(net: Any) -> Arrays:
    """Let the mean of every 2x2 pixels through to the map; all else of the net adds little."""
    weights = read_weights(net)
    for name in ("stem", "laterals.0", "smooth", "head"):
        weight = weights[f"{name}.weight" if name == "head" else f"{name}.conv.weight"]
        weight[:CELLS] = 0
        centre = weight.shape[-1] // 2
        weight[range(CELLS), range(CELLS), centre, centre] = 1
    stem = weights["stem.conv.weight"]
    stem[:CELLS, :, 1, 1] = _mean_of_cells()
    weights["stem.norm.bias"][:CELLS] = 1  # black is -1
    for name in weights:
        if name.endswith(
            ("second.norm.weight", "laterals.1.norm.weight", "laterals.2.norm.weight")
        ):
            weights[name] *= 1e-3
    weights["head.weight"] *= 60
    weights["head.bias"][:] = -6
    return weights


def _mean_of_cells() -> NDArray[np.float32]:
    """Return (16, 64): each cell is the mean of 2x2 of the stem's 8x8 pixels."""
    rows, columns = np.divmod(np.arange(64), 8)
    cells = (rows // 2) * 4 + columns // 2
    return np.asarray((np.arange(CELLS)[:, None] == cells) / 4, dtype=np.float32)
