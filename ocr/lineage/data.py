"""What a snapshot was made of, and in what two of them differ."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ocr.dataset.preparation import snapshot_key
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import MANIFEST, SAMPLES
from ocr.dataset.snapshot.table import read_rows
from ocr.store.protocol import Store

CopyTables = Callable[[str], Path]
"""From the key of a snapshot to a folder of this machine with its tables."""
_Place = tuple[str, str]
"""The id and the path of an image."""


@dataclass(frozen=True)
class Data:
    """A snapshot.

    Attributes:
        digest: Names it.
        key: Where it is; empty: it is not in the store any more, and nothing else is known.
        name: Of the dataset.
        counts: As `ocr.dataset.snapshot.manifest.SnapshotManifest` has them.
        quarantined: Rejected rows by reason.
        sources: Accepted samples by the label file that they came from, or what rendered them.
        test_digest: Names its test split.
    """

    digest: str
    key: str = ""
    name: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, int] = field(default_factory=dict)
    test_digest: str = ""


@dataclass(frozen=True)
class DataChange:
    """In what samples of one snapshot differ from those of another; equal ones have equal images.

    Attributes:
        added: Only the second has them; `removed`: only the first.
        relabelled: Both have them, with another text or other regions.
        moved: Both have them, in another split.
        kept: Both have them, as they were.
    """

    added: int
    removed: int
    relabelled: int
    moved: int
    kept: int


def read_data(store: Store, digest: str, copy_tables: CopyTables) -> Data:
    """Read what a snapshot was made of; of one that is gone only the digest is known."""
    keys = (snapshot_key(name, digest) for name in store.folders("datasets"))
    key = next((key for key in keys if store.exists(f"{key}/{MANIFEST}")), "")
    if not key:
        return Data(digest)
    manifest = SnapshotManifest.from_bytes(store.read_bytes(f"{key}/{MANIFEST}"))
    return Data(
        digest=digest,
        key=key,
        name=manifest.name,
        counts=manifest.counts,
        quarantined={reason.reason: reason.count for reason in manifest.quarantine},
        sources=_count_sources(copy_tables(key) / SAMPLES),
        test_digest=manifest.test_digest,
    )


def compare_data(first: Path, second: Path) -> DataChange:
    """Compare the samples of two snapshots, given folders with their tables."""
    before, after = _read_labels(first), _read_labels(second)
    renamed = _pair_renamed(before, after)
    after = {renamed.get(place, place): label for place, label in after.items()}
    both = before.keys() & after.keys()
    relabelled = sum(before[each][1] != after[each][1] for each in both)
    moved = sum(before[each][0] != after[each][0] for each in both)
    same = sum(before[each] == after[each] for each in both)
    return DataChange(
        added=len(after) - len(both),
        removed=len(before) - len(both),
        relabelled=relabelled,
        moved=moved,
        kept=same,
    )


def _count_sources(samples: Path) -> dict[str, int]:
    rows = read_rows(samples, split=None, columns=("source",))
    return dict(Counter(row["source"] for row in rows).most_common())


def _pair_renamed(before: Iterable[_Place], after: Iterable[_Place]) -> dict[_Place, _Place]:
    """Return what each image that is in both, once in either under another path, was called."""
    called: list[dict[str, list[_Place]]] = [defaultdict(list), defaultdict(list)]
    for places, by_id in zip((before, after), called, strict=True):
        for place in places:
            by_id[place[0]].append(place)
    old, new = called
    return {new[id_][0]: old[id_][0] for id_ in old if len(old[id_]) == len(new.get(id_, ())) == 1}


def _read_labels(folder: Path) -> dict[_Place, tuple[str, bytes]]:
    """Return split and digest of the label of every sample, by its image and its place."""
    labels: dict[_Place, tuple[str, bytes]] = {}
    for row in read_rows(folder / SAMPLES, split=None):
        label = json.dumps([row.get("text"), row.get("regions")]).encode()
        place = (row["id"], row["image"])  # equal images of several pages share an id
        labels[place] = row["split"], hashlib.blake2b(label, digest_size=16).digest()
    return labels
