"""Validation of a detector: what a net sees on pages, and how well a rule finds text in it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import paddle
import paddle.nn.functional as F
from numpy.typing import NDArray

from ocr.evaluation.pages.detection import DetectionReport, measure_detection
from ocr.models.detector_spec import BoxRule
from ocr.reading.detection.boxes import Detections, find_boxes
from training.detection.loss import detection_loss
from training.detection.samples import LabelledPage, ValPage
from training.detection.shapes import MapTarget, collect_shapes, draw_targets
from training.loop.trainee import Validation


@dataclass(frozen=True)
class PageMap:
    """The map that a net gives of a page.

    Attributes:
        page: The page.
        kernels: (H / map_px, W / map_px) probabilities to lie in a kernel, before the net doubles
            them: a quarter of the memory.
        target: What the map was to show in training.
    """

    page: LabelledPage
    kernels: NDArray[np.float32]
    target: MapTarget

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """(H, W) as the net returns them."""
        doubled = cv2.resize(self.kernels, None, fx=self.target.map_px, fy=self.target.map_px)
        return np.asarray(doubled, dtype=np.float32)

    def find(self, rule: BoxRule) -> Detections:
        """Find the boxes of the page by a rule."""
        page = self.page
        return find_boxes(
            self.probabilities, rule, width_px=page.width_px, height_px=page.height_px
        )


def map_pages(
    net: Any, pages: Iterable[ValPage], *, target: MapTarget, beat: Callable[[], None]
) -> Iterator[PageMap]:
    """Run a net, not in training, on pages one by one; a map of all of them is not kept."""
    for page in pages:
        with paddle.no_grad():
            kernels = F.sigmoid(net.logits(paddle.to_tensor(page.to_input())))
        beat()
        yield PageMap(page, kernels.numpy()[0, 0], target)


def validate_rule(maps: Iterable[PageMap], rule: BoxRule) -> Validation:
    """Return hmean (the score), precision and recall of a rule, and the loss of the maps."""
    losses = []

    def with_losses() -> Iterator[PageMap]:
        for one in maps:
            losses.append(measure_loss(one))
            yield one

    report = measure_rule(with_losses(), rule)
    loss = float(np.mean(losses))
    values = {
        "hmean": report.hmean,
        "precision": report.precision,
        "recall": report.recall,
        "loss": loss,
    }
    return Validation(score=report.hmean, loss=loss, metrics=values)


def measure_rule(maps: Iterable[PageMap], rule: BoxRule) -> DetectionReport:
    """Compare the boxes that a rule finds in the maps with the labelled regions."""
    return measure_detection((one.page.regions, one.find(rule).boxes) for one in maps)


def measure_loss(one: PageMap) -> float:
    """Return the loss of a map, as in training."""
    height_px, width_px = (side * one.target.map_px for side in one.kernels.shape)
    to_map = np.array([width_px / one.page.width_px, height_px / one.page.height_px])
    shapes = collect_shapes(one.page.regions, scale=1.0, shrink_ratio=one.target.shrink_ratio)
    matrix = np.column_stack([np.diag(to_map), np.zeros(2)])
    kernels, mask = draw_targets(
        shapes, matrix, width_px=width_px, height_px=height_px, map_px=one.target.map_px
    )
    seen = one.kernels.clip(1e-6, 1 - 1e-6)
    logits = np.log(seen / (1 - seen))
    return float(detection_loss(*(paddle.to_tensor(part) for part in (logits, kernels, mask))))
