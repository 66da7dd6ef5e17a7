"""Looks into images: read, hash, decode, judge, spool; over several processes where it pays.

Threads do not pay for small crops: two of them reach 0.7 times the speed of one, the interpreter
lock changing hands several times per image.
"""

import hashlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2

from ocr.image import BadImage, Image, decode_image, encode_jpeg, image_suffix
from ocr.image_folder import ImageFolder
from ocr.perceptual_hash import perceptual_hash
from ocr.quarantine import Fault
from ocr.spool import Spool, SpoolFile, SpoolPlace
from ocr.validation import Limits, find_size_fault


class EncodedImage(NamedTuple):
    """One good image in the spool.

    Attributes:
        id: SHA-256 of the encoded image.
        width: In pixels.
        height: In pixels.
        hash: Perceptual hash.
        suffix: File suffix of its format.
        place: Where its bytes are.
    """

    id: str
    width: int
    height: int
    hash: bytes
    suffix: str
    place: SpoolPlace


Finding = EncodedImage | Fault
"""What became of an image."""


def examine_files(
    batches: Iterable[Sequence[str]],
    *,
    root: Path,
    limits: Limits,
    spool: Spool,
    processes: int,
) -> Iterator[list[Finding]]:
    """Examine batches of image files, the findings in the order of the batches.

    Args:
        batches: Image paths relative to the root.
        root: Folder they are in.
        limits: What is accepted.
        spool: Where good images go.
        processes: How many work at once; 1 is this one.
    """
    work = partial(_examine_batch, root=root, limits=limits, spool=spool)
    if processes == 1:
        yield from map(work, batches)
        return
    # Forked, because a spawned process would import the caller's main module first. The work
    # touches no lock that a thread of ours could hold at the fork.
    with ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("fork"),
        initializer=cv2.setNumThreads,
        initargs=(0,),
    ) as pool:
        yield from _map_in_order(pool, work, batches, ahead=2 * processes)


def examine_rendered(image: Image, *, limits: Limits, file: SpoolFile) -> Finding:
    """Examine an image that the line itself made; it is spooled as JPEG."""
    return _examine(encode_jpeg(image), image, limits=limits, file=file)


def _map_in_order(
    pool: ProcessPoolExecutor,
    work: Callable[[Sequence[str]], list[Finding]],
    batches: Iterable[Sequence[str]],
    *,
    ahead: int,
) -> Iterator[list[Finding]]:
    """`pool.map` that takes no more batches than it needs."""
    waiting: deque[Future[list[Finding]]] = deque()
    for batch in batches:
        waiting.append(pool.submit(work, batch))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _examine_batch(
    images: Sequence[str], *, root: Path, limits: Limits, spool: Spool
) -> list[Finding]:
    folder = ImageFolder(root)
    with spool.appending() as file:
        return [_examine_file(image, folder, limits=limits, file=file) for image in images]


def _examine_file(image: str, folder: ImageFolder, *, limits: Limits, file: SpoolFile) -> Finding:
    try:
        data = folder.read(image, max_bytes=limits.max_bytes)
        pixels = decode_image(data, max_pixels=limits.max_pixels)
    except BadImage as error:
        return Fault(error.reason, str(error))
    return _examine(data, pixels, limits=limits, file=file)


def _examine(data: bytes, image: Image, *, limits: Limits, file: SpoolFile) -> Finding:
    fault = find_size_fault(image, limits=limits)
    if fault is not None:
        return fault
    return EncodedImage(
        id=hashlib.sha256(data).hexdigest(),
        width=image.shape[1],
        height=image.shape[0],
        hash=perceptual_hash(image),
        suffix=image_suffix(data),
        place=file.append(data),
    )
