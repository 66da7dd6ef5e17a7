"""Reads a dataset snapshot, of lines or of pages, from a local copy of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import pyarrow.parquet as pq

from ocr.dataset.snapshot.manifest import SnapshotManifest, Task
from ocr.dataset.snapshot.shards import read_shard
from ocr.dataset.split import Split
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import Image, decode_image
from ocr.models.charset import Charset

MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
QUARANTINE = "quarantine.parquet"
CHARSET = "charset.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One accepted image; a line's or a page's label is added to it.

    Attributes:
        id: SHA-256 of the encoded image; equal crops of several pages share it.
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


@dataclass(frozen=True)
class Snapshot(Generic[SampleT]):
    """A local copy of a snapshot. Safe to use from threads and forked processes.

    Attributes:
        folder: The folder it lies in.
        manifest: What it holds.
        charset: Characters of its texts.
        to_sample: Makes a sample of the columns of a row.
    """

    folder: Path
    manifest: SnapshotManifest
    charset: Charset
    to_sample: Callable[..., SampleT]

    def samples(self, split: Split | None = None) -> list[SampleT]:
        """Samples of a split (None: all), ordered by id, without their pixels."""
        filters = None if split is None else [("split", "=", split)]
        table = pq.read_table(self.folder / SAMPLES, filters=filters)
        return [self.to_sample(**row) for row in table.to_pylist()]

    def image_bytes(self, sample: SampleT) -> bytes:
        """The encoded image of a sample."""
        return read_shard(self.folder, shard=sample.shard, offset=sample.offset, size=sample.size)

    def image(self, sample: SampleT) -> Image:
        """Decode the image of a sample: (H, W, 3) BGR."""
        return decode_image(self.image_bytes(sample), max_pixels=sample.width * sample.height)

    def images(self, split: Split) -> Iterator[tuple[SampleT, Image]]:
        """Samples of a split with their images, decoded one by one."""
        for sample in self.samples(split):
            yield sample, self.image(sample)


def open_snapshot(
    folder: Path, *, task: Task, to_sample: Callable[..., SampleT]
) -> Snapshot[SampleT]:
    """Open a local copy of a snapshot, as `ocr.store.folder.download_folder` makes it.

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
    return Snapshot(folder, manifest, Charset.read(folder / CHARSET), to_sample)
