"""Where a store holds documents: samples, rejected rows, and what learnt from or read them."""

import re
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.errors import BadData
from ocr.models.registry import Registry
from ocr.parquet import read_parquet
from ocr.retention.things import Kind, Thing, find_things
from ocr.store.protocol import Store

_PATH = ("image", "path")
"""Columns that say which file a row is of: of samples, and of what was read."""
_WHAT = ("split", "reason")
_ID = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True)
class Holding:
    """Something in a store that holds documents, or was made of what does.

    Attributes:
        kind: What it is.
        prefix: The folder that it is in, or the key of the only object.
        why: Its rows by their split or reason, or what it was made of.
    """

    kind: Kind
    prefix: str
    why: str


class _Row(NamedTuple):
    """What a table says of one file; its id, of the content, is empty where it has none."""

    path: str
    id: str
    what: str


def find_holdings(registry: Registry, paths: Sequence[str]) -> list[Holding]:
    """Find all in a store that holds documents, and what was made of it.

    An image that is under another path somewhere else is found by its content.

    Args:
        registry: The models of the store.
        paths: Of the images, as label rows have them; `*` stands for any characters.

    Raises:
        BadData: A table is damaged, or what the store says of a version is.
    """
    store = registry.store
    named = re.compile("|".join(re.escape(path).replace(r"\*", ".*") for path in paths), re.DOTALL)
    things = sorted(find_things(store), key=lambda thing: thing.prefix)
    ids = {
        row.id for thing in things for row in _read(store, thing) if named.fullmatch(row.path)
    } - {""}
    found = [
        Holding(thing.kind, thing.prefix, _describe(rows))
        for thing in things
        if (rows := _count(_read(store, thing), named, ids))
    ]
    found += _find_versions(registry, {each.prefix.rpartition("/")[2] for each in found})
    read = {thing.prefix for thing in things if _has_read(store, thing, ids)}
    return found + [
        Holding(thing.kind, thing.prefix, "what was read of them")
        for thing in things
        if thing.prefix in read or f"evaluations/{_evaluation_of(thing)}" in read
    ]


def _read(store: Store, thing: Thing) -> Iterator[_Row]:
    """Yield the rows of the tables of a thing that say which files they are of."""
    keys = [entry.key for entry in thing.entries if entry.key.endswith(".parquet")]
    with tempfile.TemporaryDirectory() as folder:
        for number, key in enumerate(keys):
            copy = Path(folder, str(number))
            store.get_file(key, copy)
            name = f"{store.uri}/{key}"
            try:
                yield from _read_table(copy, name=name)
            except pa.ArrowException as error:
                raise BadData(f"{name} is damaged: {error}") from error
            copy.unlink()


def _read_table(copy: Path, *, name: str) -> Iterator[_Row]:
    names = pq.read_schema(copy).names
    path = next((each for each in _PATH if each in names), "")
    if not path:
        return
    columns = [each for each in (path, "id", *_WHAT) if each in names]
    with copy.open("rb") as file:
        for values in read_parquet(file, name=name, columns=columns):
            row = dict(zip(columns, values, strict=True))
            what = next((row[each] for each in _WHAT if each in row), "row")
            yield _Row(row[path], row.get("id", ""), what)


def _count(rows: Iterator[_Row], named: re.Pattern[str], ids: Collection[str]) -> Counter[str]:
    return Counter(row.what for row in rows if row.id in ids or named.fullmatch(row.path))


def _describe(rows: Counter[str]) -> str:
    return ", ".join(
        f"{count} {'rows' if what == 'row' and count > 1 else what}"
        for what, count in rows.most_common()
    )


def _find_versions(registry: Registry, snapshots: Collection[str]) -> Iterator[Holding]:
    """Yield the versions that learnt from snapshots, by their digests."""
    for name in registry.names():
        for version in registry.versions(name):
            digest = str(registry.version(name, version).manifest.get("dataset_digest"))
            if digest in snapshots:
                yield Holding("version", f"models/{name}/{version}", f"learnt from {digest[:16]}")


def _has_read(store: Store, thing: Thing, ids: Collection[str]) -> bool:
    """Say whether an evaluation is of images of some content."""
    if thing.kind != "evaluation":
        return False
    names = [entry.key for entry in thing.entries if entry.key.endswith("/report.json")]
    said = (_ID.findall(store.read_bytes(name)) for name in names)
    return any(each.decode() in ids for found in said for each in found)


def _evaluation_of(report: Thing) -> str:
    return report.prefix.split("/")[1] if report.kind == "report" else ""
