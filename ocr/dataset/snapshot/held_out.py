"""The test split of a snapshot: named by a digest, found again by it, and held to what it was.

A digest is over the id, label and group of every sample: where its image lies does not count. The
splits stand beside the snapshots, under `datasets/<name>/tests/<digest>.parquet`.
"""

import hashlib
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.quarantine import Rejection
from ocr.dataset.snapshot.sample_table import text_column
from ocr.dataset.snapshot.table import read_rows
from ocr.dataset.split import Split, SplitRule
from ocr.errors import ArtifactNotFound, BadData
from ocr.parquet import read_parquet
from ocr.store import Store

LabelT = TypeVar("LabelT", bound=SampleLabel)


_KEPT = "the frozen test has it, in another group"
_CORRECTED = "correct it where the frozen test's own label is written,"
_SHARE = "test_share"
_ROW_GROUP = 65_536
_MOST_BYTES = 2**30  # some 60 a line


class HeldSample(NamedTuple):
    """A sample of a test split; its label is a line's text, or the digest of a page's regions."""

    id: str
    label: str
    group: str
    image: str


_SCHEMA = pa.schema([(field, pa.string()) for field in HeldSample._fields])


@dataclass(frozen=True)
class HeldOut:
    """A test split in memory.

    Attributes:
        samples: Ordered.
        test_share: Of the samples there were then, drawn for it; 0: label files named them; None:
            nobody knows.
    """

    samples: Sequence[HeldSample]
    test_share: float | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of its ids, labels and groups."""
        return _digest(self.samples)


def read_held_out(samples: Path) -> HeldOut:
    """Read the test split of a snapshot's table of samples."""
    return HeldOut(list(_read(samples)))


def digest_held_out(samples: Path) -> str:
    """Digest the test split of a snapshot's table of samples, as `HeldOut` does."""
    return _digest(_read(samples))


def drawn_share(rule: SplitRule, given: Sequence[Split], frozen: HeldOut | None) -> float:
    """Return the share of samples that are drawn for the test, or were for one that is frozen."""
    if "test" in given:
        return 0.0
    known = frozen.test_share if frozen else None
    return rule.test_share if known is None else known


def store_held_out(
    store: Store, samples: Path, *, name: str, digest: str, test_share: float
) -> None:
    """Store the test split of a snapshot's table of samples, unless it is there.

    Args:
        store: Where it goes.
        samples: The table; a file is written beside it for a while.
        name: Name of the dataset.
        digest: Digest of the split.
        test_share: See `HeldOut`.
    """
    if store.exists(_key(name, digest)):
        return
    part = samples.with_name(f"{digest}.parquet")
    remaining = _read(samples)
    schema = _SCHEMA.with_metadata({_SHARE: repr(test_share)})
    with pq.ParquetWriter(part, schema, compression="zstd") as writer:
        while rows := list(islice(remaining, _ROW_GROUP)):
            writer.write_table(pa.table([text_column(c) for c in zip(*rows, strict=True)], _SCHEMA))
    store.put_file(_key(name, digest), part)
    part.unlink()


def fetch_held_out(store: Store, *, name: str, digest: str) -> HeldOut:
    """Fetch a test split of a dataset.

    Raises:
        BadData: There is none of that digest, the message names those there are; or it is damaged.
    """
    try:
        data = store.read_bytes(_key(name, digest), most=_MOST_BYTES)
    except ArtifactNotFound as error:
        known = [Path(key).stem for key in store.list(f"datasets/{name}/tests")]
        raise BadData(
            f"the dataset {name} has no test split {digest} (split.frozen_test), "
            f"it has {', '.join(known) or 'none'}"
        ) from error
    rows = read_parquet(io.BytesIO(data), name=_key(name, digest), columns=HeldSample._fields)
    return HeldOut([HeldSample(*row) for row in rows], _read_share(data, _key(name, digest)))


def _read_share(data: bytes, key: str) -> float | None:
    said = (pq.read_schema(io.BytesIO(data)).metadata or {}).get(_SHARE.encode())
    if said is None:  # a release before did not say it
        return None
    try:
        share = float(said)
    except ValueError:
        share = math.nan
    if not 0 <= share < 1:
        raise BadData(f"{key}: {_SHARE} is {said[:40]!r}, expected a number from 0 to 1")
    return share


def hold(
    found: Iterable[Candidate[LabelT] | Rejection], held: HeldOut, *, by_group: bool = False
) -> Iterator[Candidate[LabelT] | Rejection]:
    """Put the samples of a test split into test again, where no label file names another split.

    An image that is there as it was labelled stays so: what another row says of it is rejected.

    Args:
        found: Good and rejected rows.
        held: The test split.
        by_group: An image of a group is put back where it is of that group: others may equal it.

    Raises:
        BadData: None of the good rows is one of them, once all are out.
    """
    labels = defaultdict[str, set[str]](set)
    for sample in held.samples:
        labels[sample.id].add(sample.label)
    owned = {(sample.id, sample.group) for sample in held.samples}
    good = again = 0
    as_it_was: set[str] = set()
    otherwise: list[Candidate[LabelT]] = []
    for each in found:
        if isinstance(each, Rejection):
            yield each
            continue
        good += 1
        id_, group = each.encoded.id, each.row.group
        is_owned = (id_, group) in owned
        is_held = id_ in labels and (is_owned or not (by_group and group))
        if each.row.split is None and is_held:
            again += 1
            each = each._replace(row=each.row._replace(split="test"))
            if not is_owned or each.row.label.held not in labels[id_]:
                otherwise.append(each)
                continue
            as_it_was.add(id_)
        yield each
    for each in otherwise:
        if each.encoded.id not in as_it_was:
            yield each
        elif each.row.label.held in labels[each.encoded.id]:
            yield each.row.reject("duplicate", _KEPT)
        else:
            (label, *_) = sorted(labels[each.encoded.id])
            yield each.row.reject("duplicate_with_other_text", f"{_CORRECTED} {label[:40]!r}")
    if good and not again:
        raise BadData(
            f"none of {good} good rows is one of the {len(labels)} samples of the frozen test "
            f"split {held.digest} (split.frozen_test), whose images are named by their content"
        )


def digest_regions(stored: str) -> str:
    """Name the regions of a page, as a snapshot holds them, in a few words."""
    return f"{len(json.loads(stored))} regions {hashlib.sha256(stored.encode()).hexdigest()}"


def refuse_changes(before: HeldOut, after: HeldOut) -> None:
    """Refuse a test split that is not the frozen one any more.

    Raises:
        BadData: Saying how many samples changed and how, with an example of each.
    """
    changes = find_changes(before, after)
    if changes:
        raise BadData(
            f"the test split is not the frozen {before.digest} any more: {changes}; "
            f"split.frozen_test={after.digest} takes it as it is now"
        )


def find_changes(before: HeldOut, after: HeldOut) -> str:
    """Say how many samples were added, removed, labelled or grouped otherwise; empty: none."""
    same = Counter(map(_counted, before.samples)) & Counter(map(_counted, after.samples))
    old, new = _number(before.samples, same), _number(after.samples, same)
    both = [(old[id_], new[id_]) for id_ in old if id_ in new]
    changes = {
        "added": [_name(new[id_]) for id_ in new if id_ not in old],
        "removed": [_name(old[id_]) for id_ in old if id_ not in new],
        "labelled otherwise": [
            f"{_name(is_)} {was.label[:40]!r} → {is_.label[:40]!r}"
            for was, is_ in both
            if was.label != is_.label
        ],
        "in another group": [
            f"{_name(is_)} {was.group!r} → {is_.group!r}"
            for was, is_ in both
            if was.group != is_.group
        ],
    }
    said = (
        f"{len(found)} {what} (for example {found[0]})" for what, found in changes.items() if found
    )
    return ", ".join(said)


def _number(
    samples: Iterable[HeldSample], same: Counter[tuple[str, ...]]
) -> dict[tuple[str, int], HeldSample]:
    """Number the samples of each image, for lines of documents may be equal, without the same."""
    left, seen = same.copy(), Counter[str]()
    numbered: dict[tuple[str, int], HeldSample] = {}
    for sample in samples:
        if left[_counted(sample)]:
            left[_counted(sample)] -= 1
            continue
        numbered[sample.id, seen[sample.id]] = sample
        seen[sample.id] += 1
    return numbered


def _counted(sample: HeldSample) -> tuple[str, ...]:
    """What a digest is over."""
    return sample[:3]


def _read(samples: Path) -> Iterator[HeldSample]:
    """Yield the test split in order: the table has it by id, those of one image as they came."""
    is_of_pages = "regions" in pq.read_schema(samples).names
    label = "regions" if is_of_pages else "text"
    columns = ("split", "id", label, "group", "image")
    found = (
        HeldSample(row["id"], row[label], row["group"], row["image"])
        for row in read_rows(samples, split="test", columns=columns)
    )
    for _, rows in groupby(found, key=attrgetter("id")):
        if is_of_pages:
            yield from sorted(row._replace(label=digest_regions(row.label)) for row in rows)
        else:
            yield from sorted(rows)


def _digest(samples: Iterable[HeldSample]) -> str:
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(json.dumps(_counted(sample)).encode())
    return digest.hexdigest()


def _key(name: str, digest: str) -> str:
    return f"datasets/{name}/tests/{digest}.parquet"


def _name(sample: HeldSample) -> str:
    return sample.image or sample.id[:12]
