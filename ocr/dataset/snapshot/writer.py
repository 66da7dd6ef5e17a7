"""Writes a dataset snapshot to a folder; the same samples give the same bytes."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.candidate import Candidate, EncodedImage, SampleLabel
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import REGION_REASONS, Rejection, count_reasons
from ocr.dataset.snapshot.held_out import read_held_out
from ocr.dataset.snapshot.lookalikes import find_lookalikes
from ocr.dataset.snapshot.manifest import SnapshotManifest, Task
from ocr.dataset.snapshot.quarantine_list import QUARANTINE, storable, write_quarantine
from ocr.dataset.snapshot.shards import ShardPlace, place_in_shards, write_shard
from ocr.dataset.snapshot.snapshot import CHARSET, MANIFEST, SAMPLES
from ocr.dataset.split import SPLITS, Split
from ocr.dataset.spool import Spool, SpoolPlace
from ocr.models.charset import Charset

_TYPES = {
    "id": pa.string(),
    "split": pa.string(),
    "width": pa.int32(),
    "height": pa.int32(),
    "text": pa.string(),
    "regions": pa.string(),
    "source": pa.string(),
    "group": pa.string(),
    "image": pa.string(),
    "shard": pa.string(),
    "offset": pa.int64(),
    "size": pa.int64(),
}
_LABEL_COLUMNS: dict[Task, str] = {"recognition": "text", "detection": "regions"}

Accepted = tuple[Candidate[SampleLabel], Split]
"""A sample and its split."""

_ShardContent = tuple[str, Sequence[tuple[str, SpoolPlace]]]
"""A shard, and the name and source of each of its files."""


def write_snapshot(
    folder: Path,
    *,
    name: str,
    task: Task,
    accepted: Sequence[Accepted],
    rejections: Sequence[Rejection],
    charset: Charset,
    spool: Spool,
    pool: ProcessPool,
    texts: TextRule,
    counts: Mapping[str, int] | None = None,
) -> SnapshotManifest:
    """Write samples, shards, quarantine, charset and, last, the manifest.

    Args:
        folder: Folder to make.
        name: Name of the dataset.
        task: What the samples are, which names the column of their labels.
        accepted: Samples with their splits.
        rejections: The quarantined rows, in their final order.
        charset: Characters of the dataset.
        spool: Holds the images.
        pool: Writes the shards.
        texts: How the texts were written, for the manifest.
        counts: More counts for the manifest.
    """
    folder.mkdir()
    ordered = sorted(accepted, key=lambda pair: (SPLITS.index(pair[1]), pair[0].encoded.id))
    images, which = _distinct_images(ordered)
    stored = list(place_in_shards(image.place.size for image in images))
    places = [stored[at] for at in which]
    shards = list(_fill_shards(images, stored))
    written = pool.map_in_order(partial(_write_shard, folder=folder, spool=spool), shards)
    samples = _sample_columns(ordered, places, label=_LABEL_COLUMNS[task])
    table = pa.table(samples, schema=pa.schema([(column, _TYPES[column]) for column in samples]))
    pq.write_table(table, folder / SAMPLES, compression="zstd", row_group_size=65_536)
    rejected = list(rejections)
    write_quarantine(folder / QUARANTINE, rejected)
    charset.write(folder / CHARSET)
    digests = dict(zip((shard for shard, _ in shards), written, strict=True))
    for file in (SAMPLES, QUARANTINE, CHARSET):
        digests[file] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    manifest = SnapshotManifest.create(
        name=name,
        counts=_count(ordered, rejected) | dict(counts or {}),
        quarantine=count_reasons(rejected),
        charset_size=len(charset.characters),
        files=dict(sorted(digests.items())),
        task=task,
        texts=texts,
        lookalikes=find_lookalikes(map(str, samples.get("text", ()))),
        test_digest=read_held_out(folder / SAMPLES).digest,
    )
    (folder / MANIFEST).write_bytes(manifest.to_bytes())
    return manifest


def _distinct_images(ordered: Sequence[Accepted]) -> tuple[list[EncodedImage], list[int]]:
    """The images of each split, without repetition, and for each sample which of them is its."""
    images: list[EncodedImage] = []
    which: list[int] = []
    previous: object = None
    for candidate, split in ordered:
        if previous != (previous := (split, candidate.encoded.id)):
            images.append(candidate.encoded)
        which.append(len(images) - 1)
    return images, which


def _fill_shards(
    images: Sequence[EncodedImage], places: Sequence[ShardPlace]
) -> Iterator[_ShardContent]:
    for shard, placed in groupby(zip(places, images, strict=True), key=lambda pair: pair[0].shard):
        yield shard, [(f"{image.id}{image.suffix}", image.place) for _, image in placed]


def _write_shard(content: _ShardContent, *, folder: Path, spool: Spool) -> str:
    shard, files = content
    with spool.reading() as reader:
        return write_shard(folder / shard, ((name, reader.read(place)) for name, place in files))


def _sample_columns(
    ordered: Sequence[Accepted], places: Sequence[ShardPlace], *, label: str
) -> dict[str, Sequence[object]]:
    return {
        "id": [candidate.encoded.id for candidate, _ in ordered],
        "split": [split for _, split in ordered],
        "width": [candidate.encoded.width for candidate, _ in ordered],
        "height": [candidate.encoded.height for candidate, _ in ordered],
        label: [candidate.row.label.stored for candidate, _ in ordered],
        "source": [storable(candidate.row.source) for candidate, _ in ordered],
        "group": [storable(candidate.row.group) for candidate, _ in ordered],
        "image": [storable(candidate.row.image) for candidate, _ in ordered],
        "shard": [place.shard for place in places],
        "offset": [place.offset for place in places],
        "size": [place.size for place in places],
    }


def _count(ordered: Sequence[Accepted], rejected: Sequence[Rejection]) -> dict[str, int]:
    splits = [split for _, split in ordered]
    bad = sum(rejection.reason not in REGION_REASONS for rejection in rejected)
    counts = {"rows": len(ordered) + bad, "accepted": len(ordered), "quarantined": bad}
    groups = [candidate.row.group for candidate, _ in ordered]
    if any(groups):
        counts |= {"groups": len({*groups} - {""}), "ungrouped": groups.count("")}
    return counts | {split: splits.count(split) for split in SPLITS}
