"""A part of a snapshot as a snapshot of its own: what a short training of the same data needs."""

import tempfile
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.snapshot.held_out import digest_held_out
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.shards import place_in_shards, shard_name, write_shard
from ocr.dataset.snapshot.snapshot import CHARSET, MANIFEST, SAMPLES
from ocr.dataset.snapshot.table import read_rows
from ocr.dataset.split import SPLITS, Split
from ocr.store import Store
from ocr.store.folder import download_folder, mark_used, upload_folder
from ocr.store.whole import sha256_of

SUFFIX = "-part"
"""After the dataset's name: a part is never taken for a newer snapshot of it."""
HELD_OUT_SHARE = 0.1
Row = dict[str, Any]


def take_part(store: Store, key: str, *, most: int, work_folder: Path) -> str:
    """Write a snapshot of the first samples, by id, of each split of another, or find it.

    Its characters are those of the whole, so that a net of the one has the size of the other's.

    Args:
        store: Holds the snapshot; the part goes there.
        key: Key prefix of the snapshot.
        most: Samples of the part; a snapshot that has no more is its own part.
        work_folder: Where temporary files go.

    Returns:
        Key prefix of the part.
    """
    manifest = SnapshotManifest.from_bytes(store.read_bytes(f"{key}/{MANIFEST}"))
    if sum(manifest.counts[split] for split in SPLITS) <= most:
        return key
    with tempfile.TemporaryDirectory(dir=work_folder, prefix="part-") as temporary:
        folder = Path(temporary) / "snapshot"
        made = _write(store, key, manifest, folder, _shares(manifest.counts, most))
        prefix = f"datasets/{made.name}/{made.digest}"
        mark_used(store, prefix=prefix)
        if not store.exists(f"{prefix}/{MANIFEST}"):
            upload_folder(store, folder, prefix=prefix, last=MANIFEST)
    return prefix


def _shares(counts: Mapping[str, int], most: int) -> dict[Split, int]:
    """Return how many samples of each split: a tenth held out twice, at most, the rest to learn."""
    held = {split: min(counts[split], round(HELD_OUT_SHARE * most)) for split in ("val", "test")}
    return {"train": most - sum(held.values()), "val": held["val"], "test": held["test"]}


def _write(
    store: Store, key: str, whole: SnapshotManifest, folder: Path, shares: Mapping[Split, int]
) -> SnapshotManifest:
    tables = download_folder(
        store, prefix=key, folder=folder.with_name("tables"), only=(SAMPLES, CHARSET)
    )
    rows = [
        row
        for split in SPLITS
        for row in islice(read_rows(tables / SAMPLES, split=split), shares[split])
    ]
    folder.mkdir()
    files = _write_images(store, key, rows, folder)
    schema = pq.read_schema(tables / SAMPLES)
    pq.write_table(pa.Table.from_pylist(rows, schema), folder / SAMPLES, compression="zstd")
    (folder / CHARSET).write_bytes((tables / CHARSET).read_bytes())
    files |= {file: sha256_of(folder / file) for file in (SAMPLES, CHARSET)}
    taken: dict[str, int] = {split: sum(row["split"] == split for row in rows) for split in SPLITS}
    manifest = SnapshotManifest.create(
        name=whole.name + SUFFIX,
        counts={"rows": len(rows), "accepted": len(rows), "quarantined": 0, **taken},
        quarantine=(),
        charset_size=whole.charset_size,
        files=dict(sorted(files.items())),
        task=whole.task,
        texts=whole.texts,
        test_digest=digest_held_out(folder / SAMPLES),
        surroundings=whole.surroundings,
    )
    (folder / MANIFEST).write_bytes(manifest.to_bytes())
    return manifest


def _write_images(store: Store, key: str, rows: Sequence[Row], folder: Path) -> dict[str, str]:
    """Write each image once, and say in the rows where it lies now; returns the shards' digests."""
    firsts = list({row["id"]: dict(row) for row in rows}.values())
    shards, offsets = place_in_shards(np.array([row["size"] for row in firsts]))
    places = {
        row["id"]: (shard_name(shard), offset)
        for row, shard, offset in zip(firsts, shards.tolist(), offsets.tolist(), strict=True)
    }
    digests: dict[str, str] = {}
    for shard in dict.fromkeys(shard for shard, _ in places.values()):
        images = (
            (
                row["id"],
                store.read_range(f"{key}/{row['shard']}", offset=row["offset"], size=row["size"]),
            )
            for row in firsts
            if places[row["id"]][0] == shard
        )
        digests[shard] = write_shard(folder / shard, images)
    for row in rows:
        row["shard"], row["offset"] = places[row["id"]]
    return digests
