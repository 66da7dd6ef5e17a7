"""Which images of a snapshot become the golden ones of a bundle."""

import hashlib
import io
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.snapshot.snapshot import SAMPLES
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.pixels import Image, decode_image
from ocr.store import Store

SPLITS: tuple[Split, ...] = ("test", "val", "train")
"""Images are taken from the first split that has any."""


@dataclass(frozen=True)
class GoldenImage:
    """One image of a snapshot.

    Attributes:
        image: (H, W, 3) BGR.
        sample: Its row in the snapshot's table, with its label.
    """

    image: Image
    sample: dict[str, Any]


def read_golden_images(store: Store, *, snapshot: str, count: int) -> list[GoldenImage]:
    """Read the first images, by id, of a snapshot's test split (or validation, or training).

    Only these are read, however large the snapshot is, and one that several samples share once.

    Args:
        store: Holds the snapshot.
        snapshot: Its key prefix.
        count: How many at most.

    Raises:
        ArtifactNotFound: The snapshot is not in the store.
        BadData: It is empty or an image is damaged.
    """
    table = io.BytesIO(store.read_bytes(f"{snapshot}/{SAMPLES}"))
    for split in SPLITS:
        rows = _first_distinct(pq.read_table(table, filters=[("split", "=", split)]), count=count)
        if rows:
            return [GoldenImage(_read_image(store, snapshot, row), sample=row) for row in rows]
    raise BadData(f"Snapshot {snapshot} holds no image")


def _first_distinct(samples: pa.Table, *, count: int) -> list[dict[str, Any]]:
    first = {key: at for at, key in reversed(list(enumerate(samples["id"].to_pylist())))}
    rows: list[dict[str, Any]] = samples.take(sorted(first.values())[:count]).to_pylist()
    return rows


def _read_image(store: Store, snapshot: str, row: dict[str, Any]) -> Image:
    data = store.read_range(f"{snapshot}/{row['shard']}", offset=row["offset"], size=row["size"])
    if hashlib.sha256(data).hexdigest() != row["id"]:
        raise BadData(f"Image {row['id']} of snapshot {snapshot} is damaged")
    return decode_image(data, max_pixels=row["width"] * row["height"])
