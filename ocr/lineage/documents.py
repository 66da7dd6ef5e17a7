"""Where a store holds documents: samples, rejected rows, and what learnt from or read them."""

import re
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.errors import ArtifactNotFound, BadData, BadInput
from ocr.evaluation.report import MOST_REPORT_BYTES
from ocr.models.key import version_key
from ocr.models.registry import ModelVersion, Registry
from ocr.parquet import read_parquet
from ocr.retention.things import Kind, Thing, find_things
from ocr.store.protocol import Store

_PATH = ("image", "path")
"""Columns that say which file a row is of: of samples, and of what was read."""
_IDS = ("id", "content")
_WHAT = ("split", "reason")
_HAVE_TABLES = ("snapshot", "refused set", "test split", "batch", "shard of a batch")
LEARNT_FROM = "learnt_from.txt"
"""Of a checkpoint: the key of the snapshot that its net learnt from."""
_ID = re.compile(rb"[0-9a-f]{64}")
_CANDIDATE = re.compile(rb'"candidate"\s*:\s*\{\s*"name"\s*:\s*"([\w.:-]+)"', re.ASCII)


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
    """What a table says of one file; its id, of the content, is empty where it has none.

    Of a line that was cut out of a page the id of that is the `page`.
    """

    path: str
    id: str
    what: str
    detail: str
    page: str


class Holdings(NamedTuple):
    """What a store has of documents, and which paths nothing there is called."""

    found: tuple[Holding, ...]
    unknown: tuple[str, ...]


def find_holdings(registry: Registry, paths: Sequence[str]) -> Holdings:
    """Find all in a store that holds documents, and what was made of it.

    An image that is under another path somewhere else is found by its content.

    Args:
        registry: The models of the store.
        paths: Of the images, as label rows have them; `*` stands for any characters.

    Raises:
        BadInput: A path is empty.
        BadData: A table is damaged, or what the store says of a version is.
    """
    if "" in paths:
        raise BadInput("an empty path names no document; * names all")
    store = registry.store
    names = _Names(paths)
    things = sorted(find_things(store), key=lambda thing: thing.prefix)
    ids = {row.id for thing in things for row in _read(store, thing) if names.meet(row.path)} - {""}
    found = [
        Holding(thing.kind, thing.prefix, _describe(rows))
        for thing in things
        if (rows := _count(_read(store, thing), names, ids))
    ]
    snapshots = {each.prefix.rpartition("/")[2] for each in found if each.kind == "snapshot"}
    found += _find_made(registry, things, snapshots, ids=ids)
    return Holdings(tuple(found), names.unknown)


def find_made(registry: Registry, snapshots: Collection[str]) -> list[Holding]:
    """Find what was made of snapshots, given their digests; they may be gone."""
    things = sorted(find_things(registry.store), key=lambda thing: thing.prefix)
    return _find_made(registry, things, snapshots, ids=())


def _find_made(
    registry: Registry, things: Sequence[Thing], snapshots: Collection[str], *, ids: Collection[str]
) -> list[Holding]:
    versions = _find_versions(registry, snapshots)
    shows = _Shows(registry.store, things, ids, snapshots, [model for model, _ in versions])
    return [
        *(Holding("version", version_key(one.name, one.version), why) for one, why in versions),
        *(Holding(each.kind, each.prefix, why) for each in things if (why := shows.why(each))),
    ]


class _Names:
    """The paths of documents, and which of them nothing is called."""

    def __init__(self, paths: Sequence[str]) -> None:
        written = {path: _pattern_of(path) for path in paths}
        self._patterns = {path: re.compile(each, re.DOTALL) for path, each in written.items()}
        any_of = "|".join(written.values())
        self._any = re.compile(any_of, re.DOTALL)
        self._within = re.compile(rf"(?<![^\s'\"(])(?:{any_of})(?![^\s'\"),;])", re.DOTALL)
        self._met = set[str]()

    @property
    def unknown(self) -> tuple[str, ...]:
        """Those that nothing is called, of all that was met."""
        return tuple(path for path in self._patterns if path not in self._met)

    def name(self, path: str) -> bool:
        """Say whether a file is one of them."""
        return self._any.fullmatch(path) is not None

    def meet(self, path: str) -> bool:
        """Say whether a file is one of them, and keep in mind that it is there."""
        is_one = self.name(path)
        if is_one:
            self._met |= {each for each, name in self._patterns.items() if name.fullmatch(path)}
        return is_one

    def are_in(self, detail: str) -> bool:
        """Say whether what is told of a rejected row names one of them."""
        return self._within.search(detail) is not None


def _pattern_of(path: str) -> str:
    """Return what a path with stars fits, without a way back once a part was found: else hours."""
    first, *rest = map(re.escape, re.split(r"\*+", path))
    if not rest:
        return first
    return first + "".join(f"(?>.*?{part})" for part in rest[:-1]) + f".*{rest[-1]}"


def _read(store: Store, thing: Thing) -> Iterator[_Row]:
    """Yield the rows of the tables of a thing that say which files they are of."""
    if thing.kind not in _HAVE_TABLES:
        return
    keys = [entry.key for entry in thing.entries if entry.key.endswith(".parquet")]
    with tempfile.TemporaryDirectory() as folder:
        for number, key in enumerate(keys):
            copy = Path(folder, str(number))
            name = f"{store.uri}/{key}"
            try:
                store.get_file(key, copy)
            except ArtifactNotFound:  # it was removed meanwhile
                continue
            try:
                yield from _read_table(copy, name=name)
            except (pa.ArrowException, OSError) as error:  # which pyarrow raises as well
                raise BadData(f"{name} is damaged: {error}") from error
            copy.unlink()


def _read_table(copy: Path, *, name: str) -> Iterator[_Row]:
    names = pq.read_schema(copy).names
    path = next((each for each in _PATH if each in names), "")
    if not path:
        return
    columns = [each for each in (path, *_IDS, *_WHAT, "detail", "group") if each in names]
    with copy.open("rb") as file:
        for values in read_parquet(file, name=name, columns=columns):
            row = {key: str(value or "") for key, value in zip(columns, values, strict=True)}
            what = next((row[each] for each in _WHAT if each in row), "row")
            own = next((row[each] for each in _IDS if each in row), "")
            yield _Row(row[path], own, what, row.get("detail", ""), row.get("group", ""))


def _count(rows: Iterator[_Row], names: _Names, ids: set[str]) -> Counter[str]:
    return Counter(
        row.what
        for row in rows
        if not ids.isdisjoint((row.id, row.page))
        or names.name(row.path)
        or (row.detail and names.are_in(row.detail))
    )


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
                found = _CANDIDATE.search(data)
                candidate = found[1].decode() if found else ""
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
        learnt_from = self._read_end(thing, LEARNT_FROM).decode(errors="replace")
        snapshot = learnt_from.rpartition("/")[2]
        return f"learnt from {snapshot[:16]}" if snapshot in self._snapshots else ""

    def _read_end(self, thing: Thing, name: str) -> bytes:
        keys = (entry.key for entry in thing.entries if entry.key.endswith(f"/{name}"))
        with suppress(ArtifactNotFound):  # it was removed meanwhile
            key = next(keys, "")
            return self._store.read_bytes(key, most=MOST_REPORT_BYTES) if key else b""
        return b""
