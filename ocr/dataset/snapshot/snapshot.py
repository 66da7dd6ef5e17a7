"""Reads a dataset snapshot from a local copy of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow.parquet as pq

from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.shards import read_shard
from ocr.dataset.split import Split
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import Image, decode_image
from ocr.models.charset import Charset

MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
QUARANTINE = "quarantine.parquet"
CHARSET = "charset.txt"


class StoredSample(Protocol):
    """A row of the samples table as `itertuples` yields it."""

    @property
    def shard(self) -> Any:
        """File the image lies in, relative to the snapshot."""

    @property
    def offset(self) -> Any:
        """Where the encoded image starts in the shard."""

    @property
    def size(self) -> Any:
        """Bytes of the encoded image."""


@dataclass(frozen=True)
class Snapshot:
    """A local copy of a snapshot."""

    folder: Path
    manifest: SnapshotManifest
    charset: Charset

    def samples(self, split: Split | None = None) -> pd.DataFrame:
        """Rows of a split (None: all), ordered by id.

        Returns:
            A frame with the columns id, split, width, height, text, source, group, image, shard,
            offset and size.
        """
        filters = None if split is None else [("split", "=", split)]
        table = pq.read_table(self.folder / SAMPLES, filters=filters)
        frame: pd.DataFrame = table.to_pandas()
        return frame

    def quarantine(self) -> pd.DataFrame:
        """Rejected rows, with the columns reason, where, image, text and detail."""
        frame: pd.DataFrame = pq.read_table(self.folder / QUARANTINE).to_pandas()
        return frame

    def image_bytes(self, row: "StoredSample | pd.Series[Any]") -> bytes:
        """The encoded image of a row of `samples`, a named tuple or a Series."""
        # Series.size is its length, not the column.
        size = row["size"] if isinstance(row, pd.Series) else row.size
        return read_shard(self.folder, shard=str(row.shard), offset=int(row.offset), size=int(size))

    def images(self, split: Split) -> Iterator[tuple[Any, Image]]:
        """Rows of a split, as named tuples, with their decoded images."""
        rows: Iterator[Any] = self.samples(split).itertuples(index=False)
        for row in rows:
            yield row, decode_image(self.image_bytes(row), max_pixels=row.width * row.height)


def open_snapshot(folder: Path) -> Snapshot:
    """Open a local copy of a snapshot, as `ocr.store.download_folder` makes it.

    Raises:
        ArtifactNotFound: When the folder holds no complete snapshot.
        BadData: When its manifest is damaged.
    """
    try:
        manifest = SnapshotManifest.from_bytes((folder / MANIFEST).read_bytes())
    except FileNotFoundError as error:
        raise ArtifactNotFound(f"{folder} holds no snapshot: no {MANIFEST}") from error
    except BadData as error:
        raise BadData(f"{folder / MANIFEST}: {error}") from error
    return Snapshot(folder, manifest, Charset.read(folder / CHARSET))
