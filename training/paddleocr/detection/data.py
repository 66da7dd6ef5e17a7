"""A snapshot of pages as PaddleOCR's trainer reads it: images and label files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot, of_people
from ocr.dataset.split import Split
from ocr.image.pixels import Image, encode_png
from ocr.image.rectangle import smallest_rectangle
from ocr.models.detector_spec import PageSpec
from ocr.reading.detection.page_input import serving_scale
from ocr.store.whole import written_whole
from training.detection.samples import check_split
from training.paddleocr.config import JobFiles

IGNORED = "###"
FOUND = "text"
"""All that the trainer reads of a text is whether the region is ignored."""
CORNERS = 4
DOT: dict[str, Any] = {"transcription": IGNORED, "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}
"""What stands on a page without regions, which the trainer would replace by another page."""


def check_pages(snapshot: PageSnapshot) -> int:
    """Refuse splits without pages or text, before the trainer starts.

    Returns:
        The pages of the train split.

    Raises:
        BadData: A split has no page, or none with a region that counts; with counts.
    """
    splits: tuple[Split, ...] = ("val", "train")
    for split in splits:
        pages = [
            any(not region.ignored for region in page.regions)
            for page in of_people(snapshot.samples(split))
        ]
        check_split(split, pages)
    return len(pages)


def write_files(snapshot: PageSnapshot, files: JobFiles, *, spec: PageSpec) -> None:
    """Write images and label files once; a label file is there when it is whole.

    Args:
        snapshot: The pages, which `check_pages` passed. They are written as large as the net will
            meet them: it learns the size of text as well.
        files: Where.
        spec: The input of the net.
    """
    files.data.mkdir(exist_ok=True)
    splits: tuple[tuple[Split, Path], ...] = (("train", files.train), ("val", files.val))
    for split, labels in splits:
        if not labels.is_file():
            _write_split(snapshot, split, labels, spec)


def _write_split(snapshot: PageSnapshot, split: Split, labels: Path, spec: PageSpec) -> None:
    images = labels.parent / split
    images.mkdir(exist_ok=True)
    with written_whole(labels) as stream:
        for number, page in enumerate(of_people(snapshot.samples(split))):
            path = images / f"{number:07}.png"
            reduced, scale = _reduce(snapshot.image(page), spec)
            path.write_bytes(encode_png(reduced))
            regions = json.dumps(_describe(page.regions, scale=scale))
            name = path.relative_to(labels.parent).as_posix()
            stream.write(f"{name}\t{regions}\n".encode())


def _reduce(image: Image, spec: PageSpec) -> tuple[Image, float]:
    height_px, width_px = image.shape[:2]
    scale = serving_scale(width_px, height_px, spec)
    if scale == 1.0:
        return image, scale
    reduced = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(reduced, dtype=np.uint8), scale


def _describe(regions: Sequence[Region], *, scale: float) -> list[dict[str, Any]]:
    described = [
        {
            "transcription": IGNORED if region.ignored else FOUND,
            "points": [[round(side * scale, 2) for side in corner] for corner in _corners(region)],
        }
        for region in regions
    ]
    return described or [DOT]


def _corners(region: Region) -> Sequence[Sequence[float]]:
    """Return four corners: a trainer that pastes text looks for ever for pages of nothing else."""
    if len(region.polygon) == CORNERS:
        return region.polygon
    corners, _ = smallest_rectangle(np.array(region.polygon, np.float32))
    return corners.tolist()  # type: ignore[no-any-return]
