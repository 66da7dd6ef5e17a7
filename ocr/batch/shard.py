"""Files that are read together, cut the same way every time, under a key of their own."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from ocr.batch.source import InputFile
from ocr.store.digest import stage_key

MOST_TIMES: Final = 4
"""A shard has at most so many times the files that it has on average."""
MOST_BYTES: Final = 256 << 20
"""A shard ends with the file that brings it to so many bytes."""


@dataclass(frozen=True)
class ReadingLimits:
    """What is accepted of a file, and how long it may take.

    Attributes:
        max_bytes: Of a file.
        max_pixels: Of a page; an image beyond is refused, a page of a PDF drawn coarser.
        max_pages: Of a document.
        page_timeout_s: To decode a page.
    """

    max_bytes: int
    max_pixels: int
    max_pages: int
    page_timeout_s: float


@dataclass(frozen=True)
class Shard:
    """Some files, and the digest of all that decides what is read of them."""

    digest: str
    files: tuple[InputFile, ...]


def cut_shards(
    files: Iterable[InputFile], *, files_per_shard: int, model: str, limits: ReadingLimits
) -> Iterator[Shard]:
    """Cut a listing where the names of its files say.

    So a new file changes the shard that it falls into, and leaves all others as they were.

    Args:
        files: In the order of the listing.
        files_per_shard: How many a shard has on average.
        model: NAME:VERSION of what reads.
        limits: What is accepted.
    """
    part: list[InputFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += file.size
        is_full = len(part) == MOST_TIMES * files_per_shard or size >= MOST_BYTES
        if is_full or _number(file.path) % files_per_shard == 0:
            yield name_shard(part, model=model, limits=limits)
            part, size = [], 0
    if part:
        yield name_shard(part, model=model, limits=limits)


def name_shard(part: Sequence[InputFile], *, model: str, limits: ReadingLimits) -> Shard:
    """Name some files by all that decides what is read of them."""
    digest = stage_key(
        "read-batch",
        model=model,
        limits=asdict(limits),
        files=[(file.path, file.size, file.content) for file in part],
    )
    return Shard(digest, tuple(part))


def _number(path: str) -> int:
    data = path.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
