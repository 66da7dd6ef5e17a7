"""Reads a snapshot of pages from a local copy of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ocr.dataset.pages.label import read_regions
from ocr.dataset.pages.region import Region
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import Snapshot, open_snapshot
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.pixels import Image, decode_image


@dataclass(frozen=True, slots=True)
class PageSample:
    """One accepted page.

    Attributes:
        id: SHA-256 of the encoded image.
        split: Where it belongs.
        width: In pixels.
        height: In pixels.
        regions: Its texts, ignored ones included.
        source: The label file it came from, or what rendered it.
        group: What must stay in one split; empty: nothing.
        image: Image path as written in the labels; empty for a rendered one.
        shard: File the encoded image lies in, relative to the snapshot.
        offset: Where it starts in the shard.
        size: Its bytes.
    """

    id: str
    split: Split
    width: int
    height: int
    regions: tuple[Region, ...]
    source: str
    group: str
    image: str
    shard: str
    offset: int
    size: int


@dataclass(frozen=True)
class PageSnapshot:
    """A local copy of a snapshot of pages."""

    stored: Snapshot

    @property
    def manifest(self) -> SnapshotManifest:
        """What it holds."""
        return self.stored.manifest

    def samples(self, split: Split | None = None) -> list[PageSample]:
        """Pages of a split (None: all), ordered by id, without their pixels."""
        rows = self.stored.samples(split).itertuples(index=False)
        return [_to_sample(row) for row in rows]

    def image(self, sample: PageSample) -> Image:
        """Decode a page: (H, W, 3) BGR. Safe to call from threads and forked processes."""
        return decode_image(self.image_bytes(sample), max_pixels=sample.width * sample.height)

    def image_bytes(self, sample: PageSample) -> bytes:
        """The encoded image of a page."""
        return self.stored.image_bytes(sample)

    def pages(self, split: Split) -> Iterator[tuple[PageSample, Image]]:
        """Pages of a split with their pixels, decoded one by one."""
        for sample in self.samples(split):
            yield sample, self.image(sample)


def open_page_snapshot(folder: Path) -> PageSnapshot:
    """Open a local copy of a snapshot, as `ocr.store.folder.download_folder` makes it.

    Raises:
        ArtifactNotFound: When the folder holds no complete snapshot.
        BadData: When its manifest is damaged, or its samples are no pages.
    """
    stored = open_snapshot(folder)
    if stored.manifest.task != "detection":
        raise BadData(f"{folder} holds a snapshot of {stored.manifest.task}, expected detection")
    return PageSnapshot(stored)


def _to_sample(row: Any) -> PageSample:
    return PageSample(
        id=row.id,
        split=row.split,
        width=int(row.width),
        height=int(row.height),
        regions=read_regions(row.regions),
        source=row.source,
        group=row.group,
        image=row.image,
        shard=row.shard,
        offset=int(row.offset),
        size=int(row.size),
    )
