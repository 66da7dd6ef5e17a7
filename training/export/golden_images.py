"""Which images of a snapshot become the golden ones of a bundle."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from ocr.dataset.snapshot.snapshot import SAMPLES
from ocr.dataset.snapshot.table import read_rows
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
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        table = Path(folder) / SAMPLES
        store.get_file(f"{snapshot}/{SAMPLES}", table)
        for split in SPLITS:
            rows = list(islice(_distinct(read_rows(table, split=split)), count))
            if rows:
                return [GoldenImage(_read_image(store, snapshot, row), sample=row) for row in rows]
    raise BadData(f"Snapshot {snapshot} holds no image")


def _distinct(samples: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the first sample of each image: they are ordered by id."""
    for _, same in groupby(samples, key=itemgetter("id")):
        yield next(same)


def _read_image(store: Store, snapshot: str, row: dict[str, Any]) -> Image:
    data = store.read_range(f"{snapshot}/{row['shard']}", offset=row["offset"], size=row["size"])
    if hashlib.sha256(data).hexdigest() != row["id"]:
        raise BadData(f"Image {row['id']} of snapshot {snapshot} is damaged")
    return decode_image(data, max_pixels=row["width"] * row["height"])
