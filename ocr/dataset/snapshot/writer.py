"""Writes a dataset snapshot to a folder; the same samples give the same bytes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import SampleLabel
from ocr.dataset.candidate_table import EncodedImages
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Rejection, count_reasons, reasons_of_regions
from ocr.dataset.snapshot.held_out import digest_held_out
from ocr.dataset.snapshot.lookalikes import count_characters, find_lookalikes
from ocr.dataset.snapshot.manifest import SnapshotManifest, Task
from ocr.dataset.snapshot.quarantine_list import QUARANTINE, write_quarantine
from ocr.dataset.snapshot.sample_table import write_samples
from ocr.dataset.snapshot.shards import place_in_shards, shard_name, write_shard
from ocr.dataset.snapshot.snapshot import CHARSET, MANIFEST, SAMPLES
from ocr.dataset.snapshot.table import read_texts
from ocr.dataset.split import SPLITS, Codes, where
from ocr.dataset.spool import Spool
from ocr.models.charset import Charset
from ocr.store.whole import sha256_of


def write_snapshot(
    folder: Path,
    *,
    name: str,
    task: Task,
    accepted: Accepted[SampleLabel],
    rejections: Sequence[Rejection],
    charset_of: Callable[[Iterable[str]], Charset],
    spool: Spool,
    pool: ProcessPool,
    texts: TextRule,
    counts: Mapping[str, int] | None = None,
    surroundings: float = 0.0,
) -> SnapshotManifest:
    """Write samples, shards, quarantine, charset and, last, the manifest.

    Args:
        folder: Folder to make.
        name: Name of the dataset.
        task: What the samples are, which names the column of their labels.
        accepted: The samples.
        rejections: The quarantined rows, in their final order.
        charset_of: The charset of a dataset whose lines have these characters; pages give none.
        spool: Holds the images.
        pool: Writes the shards.
        texts: How the texts were written, for the manifest.
        counts: More counts for the manifest.
        surroundings: As in the manifest.
    """
    folder.mkdir()
    ordered = accepted.by_split()
    images = _Images.of(ordered)
    written = pool.map_in_order(
        partial(_write_shard, folder=folder, spool=spool), images.by_shard(ordered)
    )
    with ThreadPoolExecutor(1) as thread:
        shards = thread.submit(dict, written)  # other processes write them: it only waits
        write_samples(
            folder / SAMPLES, ordered, task=task, shards=images.shards, offsets=images.offsets
        )
        digests = shards.result()
    characters = count_characters(read_texts(folder / SAMPLES) if task == "recognition" else ())
    charset = charset_of(characters)
    write_quarantine(folder / QUARANTINE, rejections)
    charset.write(folder / CHARSET)
    for file in (SAMPLES, QUARANTINE, CHARSET):
        digests[file] = sha256_of(folder / file)
    manifest = SnapshotManifest.create(
        name=name,
        counts=_count(ordered, rejections, counts or {}),
        quarantine=count_reasons(rejections),
        charset_size=len(charset.characters),
        files=dict(sorted(digests.items())),
        task=task,
        texts=texts,
        lookalikes=find_lookalikes(characters),
        test_digest=digest_held_out(folder / SAMPLES),
        surroundings=surroundings,
    )
    (folder / MANIFEST).write_bytes(manifest.to_bytes())
    return manifest


@dataclass(frozen=True)
class _Images:
    """Where the images go: once each in a split, however many samples share one.

    Attributes:
        first: (M,) the first sample of each image.
        shards: (N,) number of the shard of each sample.
        offsets: (N,) where its image starts there.
    """

    first: Codes
    shards: NDArray[np.int32]
    offsets: NDArray[np.int32]

    @classmethod
    def of(cls, ordered: Accepted[SampleLabel]) -> "_Images":
        is_first = np.diff(ordered.candidates.column("image")[ordered.positions], prepend=-1) != 0
        is_first |= np.diff(ordered.splits, prepend=-1) != 0
        first = where(is_first)
        sizes = ordered.candidates.column("size")[ordered.positions[first]]
        shards, offsets = place_in_shards(sizes)
        which = np.cumsum(is_first, dtype=np.int32) - 1
        return cls(first, shards[which], offsets[which])

    def by_shard(self, ordered: Accepted[SampleLabel]) -> Iterator[tuple[str, EncodedImages]]:
        """Yield the name and the images of each shard."""
        ends = np.flatnonzero(np.diff(self.shards[self.first])) + 1
        for number, images in enumerate(np.split(self.first, ends)):
            yield shard_name(number), ordered.candidates.encoded(ordered.positions[images])


def _write_shard(
    content: tuple[str, EncodedImages], *, folder: Path, spool: Spool
) -> tuple[str, str]:
    shard, images = content
    with spool.reading() as reader:
        files = ((f"{image}{suffix}", reader.read(place)) for image, suffix, place in images)
        return shard, write_shard(folder / shard, files)


def _count(
    accepted: Accepted[SampleLabel], rejected: Sequence[Rejection], more: Mapping[str, int]
) -> dict[str, int]:
    region_reasons = reasons_of_regions(more)
    bad = sum(rejection.reason not in region_reasons for rejection in rejected)
    counts = {"rows": len(accepted) + bad, "accepted": len(accepted), "quarantined": bad}
    of_rows = accepted.candidates.column("group")
    if of_rows.any():
        groups = np.unique_counts(of_rows[accepted.positions])
        ungrouped = int(groups.counts[groups.values == 0].sum())
        counts |= {"groups": int((groups.values != 0).sum()), "ungrouped": ungrouped}
    if accepted.unchecked:
        counts["unchecked"] = accepted.unchecked
    of_splits = np.bincount(accepted.splits, minlength=len(SPLITS)).tolist()
    return counts | dict(zip(SPLITS, of_splits, strict=True)) | dict(more)
