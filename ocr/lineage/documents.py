"""Where a store holds documents: samples, rejected rows, and what learnt from or read them."""

import re
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.errors import BadData
from ocr.models.alias import parse_object
from ocr.models.key import version_key
from ocr.models.registry import ModelVersion, Registry
from ocr.parquet import read_parquet
from ocr.retention.things import Kind, Thing, find_things
from ocr.store.protocol import Store

_PATH = ("image", "path")
"""Columns that say which file a row is of: of samples, and of what was read."""
_WHAT = ("split", "reason")
LEARNT_FROM = "learnt_from.txt"
"""Of a checkpoint: the key of the snapshot that its net learnt from."""
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
    snapshots = {each.prefix.rpartition("/")[2] for each in found if each.kind == "snapshot"}
    versions = _find_versions(registry, snapshots)
    found += [
        Holding("version", version_key(model.name, model.version), why) for model, why in versions
    ]
    shows = _Shows(store, things, ids, snapshots, [model for model, _ in versions])
    return found + [
        Holding(thing.kind, thing.prefix, why) for thing in things if (why := shows.why(thing))
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


def _find_versions(
    registry: Registry, snapshots: Collection[str]
) -> list[tuple[ModelVersion, str]]:
    """Find the versions that learnt from snapshots, by their digests, and what is made of those."""
    names = registry.names()
    every = [registry.version(name, each) for name in names for each in registry.versions(name)]
    found: dict[str, tuple[ModelVersion, str]] = {}
    for model in sorted(every, key=lambda model: len(model.parts)):  # parts have no parts
        digest = str(model.manifest.get("dataset_digest"))
        part = next((each for each in model.parts.values() if each in found), "")
        if digest in snapshots:
            found[model.reference] = model, f"learnt from {digest[:16]}"
        elif part:
            found[model.reference] = model, f"is made of {part}"
    return list(found.values())


class _Shows:
    """What shows documents without a table of them.

    Evaluations and reports that are of them; and pictures of crops that were learnt, which a
    checkpoint and the report on a candidate have.
    """

    def __init__(
        self,
        store: Store,
        things: Iterable[Thing],
        ids: Collection[str],
        snapshots: Collection[str],
        versions: Collection[ModelVersion],
    ) -> None:
        self._store = store
        self._snapshots = snapshots
        exported = {str(model.manifest.get("checkpoint")): model.reference for model in versions}
        self._exported = {"/".join(key.split("/")[:2]): name for key, name in exported.items()}
        self._read = set[str]()
        self._candidates = dict[str, str]()
        learnt = {model.reference for model in versions}
        for thing in things:
            if thing.kind == "evaluation" and (data := self._read_end(thing, "report.json")):
                if any(each.decode() in ids for each in _ID.findall(data)):
                    self._read.add(thing.prefix)
                candidate = _candidate_of(data, source=f"{store.uri}/{thing.prefix}")
                if candidate in learnt:
                    self._candidates[thing.prefix] = candidate

    def why(self, thing: Thing) -> str:
        """Say why a thing shows some; empty: it does not."""
        of = f"evaluations/{thing.prefix.split('/')[1]}" if thing.kind == "report" else thing.prefix
        if of in self._read:
            return "what was read of them"
        if thing.kind == "report" and of in self._candidates:
            return f"shows what {self._candidates[of]} learnt"
        if thing.kind != "checkpoint":
            return ""
        if name := self._exported.get(thing.prefix):
            return f"{name} was exported from it"
        snapshot = self._read_end(thing, LEARNT_FROM).decode().rpartition("/")[2]
        return f"learnt from {snapshot[:16]}" if snapshot in self._snapshots else ""

    def _read_end(self, thing: Thing, name: str) -> bytes:
        keys = (entry.key for entry in thing.entries if entry.key.endswith(f"/{name}"))
        return next(map(self._store.read_bytes, keys), b"")


def _candidate_of(report: bytes, *, source: str) -> str:
    candidate = parse_object(report, source=source).get("candidate")
    return str(candidate.get("name")) if isinstance(candidate, dict) else ""
