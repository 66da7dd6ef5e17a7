"""Golden images: what every exported form, and later the served model, must answer alike."""

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ocr.dataset.snapshot.snapshot import SAMPLES
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.pixels import Image, decode_image, encode_png
from ocr.models.bundle import GOLDEN_INPUTS, GOLDEN_OUTPUTS
from ocr.store import Store

SPLITS: tuple[Split, ...] = ("test", "val", "train")
"""Images are taken from the first split that has any."""

ANY_SIZE = 1 << 40
"""The images were checked when they entered the snapshot."""


@dataclass(frozen=True)
class GoldenImage:
    """One image of a snapshot.

    Attributes:
        file: Name in the bundle.
        image: (H, W, 3) BGR.
        sample: Its row in the snapshot's table: what it is labelled.
    """

    file: str
    image: Image
    sample: dict[str, Any]


def read_golden_images(store: Store, *, snapshot: str, count: int) -> list[GoldenImage]:
    """Read the first images, by id, of a snapshot's test split (or validation, or training).

    Only these are read, however large the snapshot is.

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
        rows = pq.read_table(table, filters=[("split", "=", split)]).slice(0, count).to_pylist()
        if rows:
            return [
                GoldenImage(f"{number:03d}.png", _read_image(store, snapshot, row), sample=row)
                for number, row in enumerate(rows)
            ]
    raise BadData(f"Snapshot {snapshot} holds no image")


def write_golden_inputs(bundle: Path, images: Sequence[GoldenImage]) -> None:
    """Write the images as PNG, which keeps every pixel."""
    (bundle / GOLDEN_INPUTS).mkdir(parents=True)
    for golden in images:
        (bundle / GOLDEN_INPUTS / golden.file).write_bytes(encode_png(golden.image))


def read_golden_inputs(bundle: Path) -> Iterator[Image]:
    """Read the images of a bundle in their order."""
    for path in sorted((bundle / GOLDEN_INPUTS).glob("*.png")):
        yield decode_image(path.read_bytes(), max_pixels=ANY_SIZE)


def write_golden_outputs(
    bundle: Path, images: Sequence[GoldenImage], records: Sequence[Mapping[str, Any]]
) -> None:
    """Write what the checkpoint answers to each image."""
    content = {
        "images": [
            {"file": golden.file, **record} for golden, record in zip(images, records, strict=True)
        ]
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    (bundle / GOLDEN_OUTPUTS).write_text(text, encoding="utf-8")


def _read_image(store: Store, snapshot: str, row: dict[str, Any]) -> Image:
    data = store.read_range(f"{snapshot}/{row['shard']}", offset=row["offset"], size=row["size"])
    if hashlib.sha256(data).hexdigest() != row["id"]:
        raise BadData(f"Image {row['id']} of snapshot {snapshot} is damaged")
    return decode_image(data, max_pixels=row["width"] * row["height"])
