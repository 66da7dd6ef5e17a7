"""The labelled pages of one split, decoded into memory: grey, and no larger than is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.detector_spec import PageSpec
from ocr.reading.detection.page_input import fit_page, serving_scale, to_page_input
from training.detection.shapes import Shapes, collect_shapes

Grey = NDArray[np.uint8]

ENLARGED = 1.2
"""Pages to learn from are kept this much larger than the net will meet them."""


@dataclass(frozen=True)
class TrainPage:
    """A page to cut views from.

    Attributes:
        grey: (H, W).
        shapes: The shapes of its regions, in pixels of `grey`.
        scale: At which `grey` meets the net when it is served.
    """

    grey: Grey
    shapes: Shapes
    scale: float


@dataclass(frozen=True)
class LabelledPage:
    """What is to be found on a page.

    Attributes:
        regions: Its labelled regions, in pixels of the original page.
        width_px: Width of the original page.
        height_px: Height of the original page.
    """

    regions: tuple[Region, ...]
    width_px: int
    height_px: int


@dataclass(frozen=True)
class ValPage(LabelledPage):
    """A page to find text on.

    Attributes:
        grey: (H, W) fitted to the input of the net.
        spec: That input.
    """

    grey: Grey
    spec: PageSpec

    def to_input(self) -> NDArray[np.float32]:
        """Return (1, 3, H, W) as the net takes it."""
        return to_page_input(np.repeat(self.grey[:, :, None], 3, axis=2), self.spec)


def collect_train_pages(
    pages: Iterable[tuple[Image, tuple[Region, ...]]], *, spec: PageSpec, shrink_ratio: float
) -> list[TrainPage]:
    """Collect pages to learn from, reduced to little more than the input of the net."""
    return [_reduce(image, regions, spec, shrink_ratio) for image, regions in pages]


def collect_val_pages(
    pages: Iterable[tuple[Image, tuple[Region, ...]]], *, spec: PageSpec
) -> list[ValPage]:
    """Collect pages to find text on, fitted to the input as serving does."""
    return [
        ValPage(
            grey=_to_grey(fit_page(image, spec)),
            spec=spec,
            regions=regions,
            width_px=image.shape[1],
            height_px=image.shape[0],
        )
        for image, regions in pages
    ]


def check_split(split: Split, has_regions: Sequence[bool]) -> None:
    """Refuse a split without pages, or without a region to find on any of them.

    Args:
        split: The split.
        has_regions: Of each page whether it has a region that counts.

    Raises:
        BadData: There is nothing to learn or to measure.
    """
    if not has_regions:
        raise BadData(f"The {split} split is empty: training needs train and val pages")
    if not any(has_regions):
        raise BadData(
            f"None of the {len(has_regions)} pages of the {split} split has a region that counts: "
            "label what is to be found on some of them"
        )


def _reduce(
    image: Image, regions: tuple[Region, ...], spec: PageSpec, shrink_ratio: float
) -> TrainPage:
    grey = _to_grey(image)
    height_px, width_px = grey.shape
    served = serving_scale(width_px, height_px, spec)
    kept = min(1.0, ENLARGED * served)
    if kept < 1.0:
        grey = cv2.resize(grey, None, fx=kept, fy=kept, interpolation=cv2.INTER_AREA)
    shapes = collect_shapes(regions, scale=kept, shrink_ratio=shrink_ratio)
    return TrainPage(np.asarray(grey, dtype=np.uint8), shapes, scale=served / kept)


def _to_grey(image: Image) -> Grey:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
