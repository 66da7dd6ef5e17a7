"""Looks into images: read, hash, decode, judge, spool; over several processes where they pay."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, tee
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import EncodedImage, Label, Row
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.roots import Images, Root
from ocr.dataset.spool import Spool, SpoolFile, SpoolPlace
from ocr.image.header import PDF_MAGIC, image_suffix
from ocr.image.pixels import (
    BadImage,
    GreyImage,
    Image,
    decode_grey,
    decode_image,
    encode_jpeg,
    to_grey,
)


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

_Sent = Fault | tuple[tuple[Any, ...], tuple[Any, ...]]
"""A finding on its way from another process: plain tuples are pickled five times as fast."""


LabelT = TypeVar("LabelT", bound=Label)
ItemT = TypeVar("ItemT")

_OF_PDF = "a PDF, expected an image: label images of its pages, as `ocrline annotate` writes them"
_AT_ONCE, _MOST_AT_ONCE = 16, 1 << 20


def examine_rows(
    rows: Iterable[Row[LabelT] | Rejection],
    *,
    root: Root,
    limits: ImageLimits,
    spool: Spool,
    pool: ProcessPool,
    batch: int,
    hash_image: Callable[[GreyImage], bytes],
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
    hash_image: Callable[[GreyImage], bytes],
    kept: Image | None = None,
) -> Finding:
    """Examine an image that this project rendered; it, or `kept` for it, is spooled as JPEG."""
    if kept is None:
        kept = image
    grey = to_grey(image)
    fault = _find_small(grey, limits)
    return fault or _spool(encode_jpeg(kept), kept.shape, hash_image(grey), file=file)


def open_rows(
    rows: Iterable[Row[LabelT] | Rejection], *, root: Root, max_pixels: int
) -> Iterator[tuple[Row[LabelT], bytes, Image] | Rejection]:
    """Read the image files of rows, encoded and decoded; rejected ones pass through."""
    with root.images() as images:
        for row in rows:
            if isinstance(row, Rejection):
                yield row
                continue
            data = _read(row.image, images, max_pixels=max_pixels)
            found = _decode(data, decode_image, max_pixels)
            yield row.reject(*found) if isinstance(found, Fault) else (row, *found)


def _pair(
    rows: Sequence[Row[LabelT] | Rejection], findings: Iterator[_Sent]
) -> Iterator[tuple[Row[LabelT], Finding] | Rejection]:
    for row in rows:
        yield row if isinstance(row, Rejection) else (row, _received(next(findings)))


def _examine_batch(
    names: Sequence[str],
    *,
    root: Root,
    limits: ImageLimits,
    spool: Spool,
    hash_image: Callable[[GreyImage], bytes],
) -> list[_Sent]:
    most = limits.max_pixels
    with root.images() as images, spool.appending() as file:
        encoded = _in_step((_read(name, images, max_pixels=most) for name in names), weigh=_bytes)
        decoded = _in_step((_decode(each, decode_grey, most) for each in encoded), weigh=_pixels)
        found = (
            each
            if isinstance(each, Fault)
            else _examine(*each, limits=limits, file=file, hash_image=hash_image)
            for each in decoded
        )
        return [each if isinstance(each, Fault) else _sent(each) for each in found]


def _in_step(items: Iterable[ItemT], *, weigh: Callable[[ItemT], int]) -> Iterator[ItemT]:
    """Take a few items before passing the first on, so that a step is done for all of them at once.

    Its code and tables are in the processor's caches then: small images take a third less time.
    """
    held: list[ItemT] = []
    weight = 0
    for item in items:
        held.append(item)
        weight += weigh(item)
        if len(held) == _AT_ONCE or weight > _MOST_AT_ONCE:
            yield from held
            held, weight = [], 0
    yield from held


def _bytes(encoded: bytes | Fault) -> int:
    return 0 if isinstance(encoded, Fault) else len(encoded)


def _pixels(decoded: tuple[bytes, GreyImage] | Fault) -> int:
    return 0 if isinstance(decoded, Fault) else decoded[1].size


def _sent(image: EncodedImage) -> _Sent:
    return image[:-1], tuple(image.place)


def _received(sent: _Sent) -> Finding:
    if isinstance(sent, Fault):
        return sent
    seen, place = sent
    id_, width, height, hash_, suffix = seen
    return EncodedImage(id_, width, height, hash_, suffix, SpoolPlace(*place))


def _read(image: str, images: Images, *, max_pixels: int) -> bytes | Fault:
    try:
        return images.read(image, max_pixels=max_pixels)
    except BadImage as error:
        return Fault(error.reason, str(error))


def _decode(
    data: bytes | Fault, decode: Callable[..., NDArray[np.uint8]], max_pixels: int
) -> tuple[bytes, NDArray[np.uint8]] | Fault:
    if isinstance(data, Fault):
        return data
    try:
        return data, decode(data, max_pixels=max_pixels)
    except BadImage as error:
        return Fault(error.reason, _OF_PDF if data.startswith(PDF_MAGIC) else str(error))


def _examine(
    data: bytes,
    grey: GreyImage,
    *,
    limits: ImageLimits,
    file: SpoolFile,
    hash_image: Callable[[GreyImage], bytes],
) -> Finding:
    return _find_small(grey, limits) or _spool(data, grey.shape, hash_image(grey), file=file)


def _find_small(image: GreyImage, limits: ImageLimits) -> Fault | None:
    height, width = image.shape
    if min(height, width) >= limits.min_side_px:
        return None
    allowed = f"the smallest side is {limits.min_side_px}"
    return Fault("too_small", f"{width}x{height} pixels, {allowed}")


def _spool(data: bytes, shape: tuple[int, ...], hash_: bytes, *, file: SpoolFile) -> EncodedImage:
    return EncodedImage(
        id=hashlib.sha256(data).hexdigest(),
        width=shape[1],
        height=shape[0],
        hash=hash_,
        suffix=image_suffix(data),
        place=file.append(data),
    )
