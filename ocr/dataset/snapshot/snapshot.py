"""Reads a dataset snapshot, of lines or of pages: its table from a folder, images as asked for."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ocr.dataset.snapshot.manifest import SnapshotManifest, Task
from ocr.dataset.snapshot.shards import read_shard
from ocr.dataset.snapshot.table import read_rows
from ocr.dataset.split import Split
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import Image, decode_image
from ocr.models.charset import Charset
from ocr.store import Store

MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
CHARSET = "charset.txt"
TABLES = (SAMPLES, CHARSET)
"""What must lie in a folder to read a snapshot; the images may stay in the store."""
_PLACE = ("shard", "offset", "size")
_READ_BYTES = 1 << 20  # of images that follow each other, at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One accepted image; a line's or a page's label is added to it.

    Attributes:
        id: SHA-256 of the encoded image; equal images of several pages share it.
        split: The split it belongs to.
        width: In pixels.
        height: In pixels.
        source: The label file it came from, or what rendered it.
        group: What must stay in one split; empty: nothing.
        image: Image path as written in the labels; empty for a rendered one.
        shard: File the encoded image lies in, relative to the snapshot.
        offset: Byte of the shard at which the encoded image starts.
        size: Bytes of the encoded image.
    """

    id: str
    split: Split
    width: int
    height: int
    source: str
    group: str
    image: str
    shard: str
    offset: int
    size: int


SampleT = TypeVar("SampleT", bound=Sample)


class ReadShard(Protocol):
    """Reads `size` bytes from `offset` of a shard."""

    def __call__(self, *, shard: str, offset: int, size: int) -> bytes: ...  # noqa: D102


@dataclass(frozen=True)
class Snapshot(Generic[SampleT]):
    """A snapshot. Safe to use from threads and forked processes.

    Attributes:
        folder: The folder its table lies in.
        manifest: What it holds.
        charset: Characters of its texts.
        to_sample: Makes a sample of the columns of a row.
        read: Reads the images.
    """

    folder: Path
    manifest: SnapshotManifest
    charset: Charset
    to_sample: Callable[..., SampleT]
    read: ReadShard

    def samples(self, split: Split | None = None) -> Iterator[SampleT]:
        """Yield the samples of a split (None: all), ordered by id, without their pixels."""
        for row in read_rows(self.folder / SAMPLES, split=split):
            yield self.to_sample(**row)

    def values(self, column: str, split: Split) -> Iterator[Any]:
        """Yield one column of the samples of a split."""
        for row in read_rows(self.folder / SAMPLES, split=split, columns=("split", column)):
            yield row[column]

    def describe(self, split: Split, most: int) -> str:
        """Name the first samples of a split, by all that is said of them but where images lie."""
        digest = hashlib.sha256()
        for row in islice(read_rows(self.folder / SAMPLES, split=split), most):
            said = {column: value for column, value in row.items() if column not in _PLACE}
            digest.update(json.dumps(said, sort_keys=True).encode() + b"\n")
        return digest.hexdigest()

    def image_bytes(self, sample: SampleT) -> bytes:
        """The encoded image of a sample.

        Raises:
            BadData: The shard holds something else there.
        """
        data = self.read(shard=sample.shard, offset=sample.offset, size=sample.size)
        return _checked(data, sample)

    def image(self, sample: SampleT) -> Image:
        """Decode the image of a sample: (H, W, 3) BGR."""
        return decode_image(self.image_bytes(sample), max_pixels=sample.width * sample.height)

    def images(self, split: Split) -> Iterator[tuple[SampleT, Image]]:
        """Samples of a split with their images, read in blocks and decoded one by one."""
        for block in _in_blocks(self.samples(split)):
            first, last = block[0], block[-1]
            size = last.offset + last.size - first.offset
            data = self.read(shard=first.shard, offset=first.offset, size=size)
            for sample in block:
                start = sample.offset - first.offset
                encoded = _checked(data[start : start + sample.size], sample)
                yield sample, decode_image(encoded, max_pixels=sample.width * sample.height)


def open_snapshot(
    folder: Path, *, task: Task, to_sample: Callable[..., SampleT], read: ReadShard | None
) -> Snapshot[SampleT]:
    """Open a snapshot whose TABLES, at least, lie in a folder.

    Args:
        folder: As `ocr.store.folder.download_folder` makes it.
        task: What its samples are to be.
        to_sample: Makes a sample of the columns of a row.
        read: Reads the images; None: they lie in the folder too.

    Raises:
        ArtifactNotFound: When the folder holds no complete snapshot.
        BadData: When its manifest is damaged, or its samples are for another task.
    """
    try:
        manifest = SnapshotManifest.from_bytes((folder / MANIFEST).read_bytes())
    except FileNotFoundError as error:
        raise ArtifactNotFound(f"{folder} holds no snapshot: no {MANIFEST}") from error
    except BadData as error:
        raise BadData(f"{folder / MANIFEST}: {error}") from error
    if manifest.task != task:
        raise BadData(f"{folder} holds a snapshot of {manifest.task}, expected {task}")
    charset = Charset.read(folder / CHARSET)
    return Snapshot(folder, manifest, charset, to_sample, read or partial(read_shard, folder))


def shards_in_store(store: Store, key: str) -> ReadShard:
    """Read the images of the snapshot with this key where they are stored."""
    return partial(_read_stored, store, key)


def _read_stored(store: Store, key: str, *, shard: str, offset: int, size: int) -> bytes:
    return store.read_range(f"{key}/{shard}", offset=offset, size=size)


def _checked(data: bytes, sample: Sample) -> bytes:
    if hashlib.sha256(data).hexdigest() != sample.id:
        raise BadData(f"{sample.shard} is damaged: it does not hold the image {sample.id}")
    return data


def _in_blocks(samples: Iterable[SampleT]) -> Iterator[list[SampleT]]:
    """Group samples that follow each other in one shard."""
    block: list[SampleT] = []
    for sample in samples:
        if block and not _continues(block, sample):
            yield block
            block = []
        block.append(sample)
    if block:
        yield block


def _continues(block: list[SampleT], sample: SampleT) -> bool:
    first = block[0]
    end = sample.offset + sample.size
    return sample.shard == first.shard and 0 < end - first.offset <= _READ_BYTES
