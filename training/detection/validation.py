"""Validation of a detector: what a net sees on pages, and how well a rule finds text in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray

from ocr.evaluation.pages.detection import DetectionReport, measure_detection
from ocr.models.detector_spec import BoxRule
from ocr.reading.detection.boxes import find_boxes
from training.detection.loss import detection_loss
from training.detection.net import MAP_PX
from training.detection.samples import ValPage
from training.detection.shapes import collect_shapes, draw_targets
from training.loop.trainee import Validation


@dataclass(frozen=True)
class PageMap:
    """The map that a net gives of a page.

    Attributes:
        page: The page.
        kernels: (H / 2, W / 2) probabilities to lie in a kernel, before the net repeats every
            pixel: a quarter of the memory.
    """

    page: ValPage
    kernels: NDArray[np.float32]

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """(H, W) as the net returns them."""
        return self.kernels.repeat(MAP_PX, axis=0).repeat(MAP_PX, axis=1)


def map_pages(net: Any, pages: Sequence[ValPage], *, beat: Callable[[], None]) -> list[PageMap]:
    """Run a net, not in training, on pages one by one."""
    maps = []
    for page in pages:
        with paddle.no_grad():
            probabilities = net(paddle.to_tensor(page.to_input())).numpy()[0, 0]
        beat()
        maps.append(PageMap(page, probabilities[::MAP_PX, ::MAP_PX].astype(np.float32)))
    return maps


def summarise(maps: Sequence[PageMap], report: DetectionReport) -> Validation:
    """Return hmean (the score), precision and recall of a rule, and the loss of the maps."""
    loss = float(np.mean([measure_loss(one) for one in maps]))
    values = {
        "hmean": report.hmean,
        "precision": report.precision,
        "recall": report.recall,
        "loss": loss,
    }
    return Validation(score=report.hmean, loss=loss, metrics=values)


def measure_rule(maps: Sequence[PageMap], rule: BoxRule) -> DetectionReport:
    """Compare the boxes that a rule finds in the maps with the labelled regions."""
    found = [
        find_boxes(
            one.probabilities,
            rule,
            width_px=one.page.width_px,
            height_px=one.page.height_px,
        )
        for one in maps
    ]
    return measure_detection(
        (one.page.regions, each.boxes) for one, each in zip(maps, found, strict=True)
    )


def measure_loss(one: PageMap) -> float:
    """Return the loss of a map, as in training."""
    height_px, width_px = one.page.grey.shape
    to_map = np.array([width_px / one.page.width_px, height_px / one.page.height_px])
    shapes = collect_shapes(one.page.regions, scale=1.0)
    matrix = np.column_stack([np.diag(to_map), np.zeros(2)])
    kernels, mask = draw_targets(shapes, matrix, width_px=width_px, height_px=height_px)
    seen = one.kernels.clip(1e-6, 1 - 1e-6)
    logits = np.log(seen / (1 - seen))
    return float(detection_loss(*(paddle.to_tensor(part) for part in (logits, kernels, mask))))
