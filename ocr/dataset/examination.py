"""Looks into images: read, hash, decode, judge, spool; over several processes where they pay."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, tee
from typing import TypeVar

from ocr.dataset.candidate import EncodedImage, Label, Row
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.roots import Images, Root
from ocr.dataset.spool import Spool, SpoolFile
from ocr.image.header import image_suffix
from ocr.image.pixels import BadImage, Image, decode_image, encode_jpeg


@dataclass(frozen=True)
class ImageLimits:
    """What is accepted of images.

    Attributes:
        min_side_px: Smallest image side.
        max_pixels: Largest image, width times height.
    """

    min_side_px: int
    max_pixels: int


Finding = EncodedImage | Fault
"""What became of an image."""


LabelT = TypeVar("LabelT", bound=Label)


def examine_rows(
    rows: Iterable[Row[LabelT] | Rejection],
    *,
    root: Root,
    limits: ImageLimits,
    spool: Spool,
    pool: ProcessPool,
    batch: int,
    hash_image: Callable[[Image], bytes],
) -> Iterator[tuple[Row[LabelT], Finding] | Rejection]:
    """Examine the image files of rows, in their order; rejected ones pass through.

    Args:
        rows: Rows whose images are not yet opened.
        root: Where the images are.
        limits: What is accepted.
        spool: Where good images go.
        pool: Does the work.
        batch: Images that a process takes at a time.
        hash_image: Perceptual hash of an image.
    """
    source = iter(rows)
    batches, ahead = tee(iter(lambda: list(islice(source, batch)), []))
    work = partial(_examine_batch, root=root, limits=limits, spool=spool, hash_image=hash_image)
    names = ([row.image for row in each if not isinstance(row, Rejection)] for each in ahead)
    with root.images():  # once before processes are forked: what it reads, they find read
        findings = pool.map_in_order(work, names)
        for each, found in zip(batches, findings, strict=True):
            yield from _pair(each, iter(found))


def examine_rendered(
    image: Image,
    *,
    limits: ImageLimits,
    file: SpoolFile,
    hash_image: Callable[[Image], bytes],
) -> Finding:
    """Examine an image that this project rendered; it is spooled as JPEG."""
    return _examine(encode_jpeg(image), image, limits=limits, file=file, hash_image=hash_image)


def open_rows(
    rows: Iterable[Row[LabelT] | Rejection], *, root: Root, max_pixels: int
) -> Iterator[tuple[Row[LabelT], bytes, Image] | Rejection]:
    """Read the image files of rows, encoded and decoded; rejected ones pass through."""
    with root.images() as images:
        for row in rows:
            if isinstance(row, Rejection):
                yield row
                continue
            found = _read(row.image, images, max_pixels=max_pixels)
            yield row.reject(*found) if isinstance(found, Fault) else (row, *found)


def _pair(
    rows: Sequence[Row[LabelT] | Rejection], findings: Iterator[Finding]
) -> Iterator[tuple[Row[LabelT], Finding] | Rejection]:
    for row in rows:
        yield row if isinstance(row, Rejection) else (row, next(findings))


def _examine_batch(
    names: Sequence[str],
    *,
    root: Root,
    limits: ImageLimits,
    spool: Spool,
    hash_image: Callable[[Image], bytes],
) -> list[Finding]:
    with root.images() as images, spool.appending() as file:
        return [
            _examine_file(name, images, limits=limits, file=file, hash_image=hash_image)
            for name in names
        ]


def _examine_file(
    image: str,
    images: Images,
    *,
    limits: ImageLimits,
    file: SpoolFile,
    hash_image: Callable[[Image], bytes],
) -> Finding:
    found = _read(image, images, max_pixels=limits.max_pixels)
    if isinstance(found, Fault):
        return found
    return _examine(*found, limits=limits, file=file, hash_image=hash_image)


def _read(image: str, images: Images, *, max_pixels: int) -> tuple[bytes, Image] | Fault:
    try:
        data = images.read(image, max_pixels=max_pixels)
        return data, decode_image(data, max_pixels=max_pixels)
    except BadImage as error:
        return Fault(error.reason, str(error))


def _examine(
    data: bytes,
    image: Image,
    *,
    limits: ImageLimits,
    file: SpoolFile,
    hash_image: Callable[[Image], bytes],
) -> Finding:
    height, width = image.shape[:2]
    if min(height, width) < limits.min_side_px:
        allowed = f"the smallest side is {limits.min_side_px}"
        return Fault("too_small", f"{width}x{height} pixels, {allowed}")
    return EncodedImage(
        id=hashlib.sha256(data).hexdigest(),
        width=width,
        height=height,
        hash=hash_image(image),
        suffix=image_suffix(data),
        place=file.append(data),
    )
