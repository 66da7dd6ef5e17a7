"""Erases documents from a store: all that holds them, and what was made of that."""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from ocr.errors import AliasMoved, BadData
from ocr.lineage.documents import Holding, find_holdings, find_made
from ocr.models.alias import now
from ocr.models.key import version_key
from ocr.models.registry import ModelVersion, Registry
from ocr.retention.removal import remove_thing
from ocr.retention.things import Kind, Thing, find_things, kind_of, prefix_of
from ocr.store.folder import MANIFEST
from ocr.store.key import is_key
from ocr.store.protocol import Store

_RECORDS = "prunes"
_BEGUN = re.compile(r"prunes/(erased-.+)-begun\.json")
_DONE = "prunes/{}-done.json"
_GOES: Final = (
    "snapshot",
    "refused set",
    "test split",
    "checkpoint",
    "version",
    "evaluation",
    "report",
    "batch",
    "shard of a batch",
)
"""What may hold documents; no record makes anything else go."""


@dataclass(frozen=True)
class Erasure:
    """What was erased, or is to be; it names none of the documents.

    Attributes:
        at: When it began.
        by: Who told it to.
        things: All that goes.
        name: Of its record.
        is_done: Whether all went.
    """

    at: str
    by: str
    things: tuple[Holding, ...]
    name: str = ""
    is_done: bool = False


@dataclass(frozen=True)
class Plan:
    """What has to go.

    Attributes:
        found: What holds the documents, and what was made of them.
        left: What earlier erasures left, or runs made of what those took, unless it is online.
        hindrances: Aliases that point at versions that were found, or at what is made of one.
        unknown: Paths that nothing is called.
    """

    found: tuple[Holding, ...]
    left: tuple[Holding, ...]
    hindrances: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def things(self) -> tuple[Holding, ...]:
        """All of it."""
        return self.found + self.left


def plan_erasure(registry: Registry, paths: Sequence[str]) -> Plan:
    """Find what has to go; arguments and errors as of `find_holdings`."""
    found, unknown = find_holdings(registry, paths)
    left = {
        each.prefix: each
        for each in _find_left(registry)
        if each.kind != "version" or not name_hindrances(registry, [each])
    }
    for each in found:
        left.pop(each.prefix, None)
    hindrances = name_hindrances(registry, found)
    return Plan(found, tuple(left[each] for each in sorted(left)), tuple(hindrances), unknown)


def _find_left(registry: Registry) -> Iterator[Holding]:
    """Yield what is still there of erasures, and what runs made meanwhile of what is gone."""
    erasures = read_erasures(registry.store)
    there = _prefixes(registry.store) if erasures else set[str]()
    gone = set[str]()
    for erasure in erasures:
        for each in erasure.things:
            if each.kind == "snapshot" and each.prefix not in there:
                gone.add(each.prefix.rpartition("/")[2])
            elif not erasure.is_done and each.prefix in there:
                yield replace(each, why=f"was to be erased at {erasure.at}")
    if gone:
        yield from find_made(registry, gone)


def name_hindrances(registry: Registry, things: Collection[Holding]) -> list[str]:
    """Say which aliases point at versions among them, or at what is made of one."""
    going, found = {each.prefix for each in things}, []
    for name in registry.names():
        keys = registry.store.list(f"models/{name}/aliases")
        for alias in (PurePosixPath(key).stem for key in keys if kind_of(key) == "alias"):
            state = registry.read_alias(name, alias)
            if state and state.version and registry.has_version(name, state.version):
                model = registry.version(name, state.version)
                found += [
                    f"{name}@{alias} is {model.reference}"
                    + f", made of {each}" * (each != model.reference)
                    for each in (model.reference, *model.parts.values())
                    if version_key(*each.split(":", 1)) in going
                ]
    return found


def erase(registry: Registry, things: Collection[Holding], *, by: str) -> None:
    """Remove what was planned; versions first, so that nobody finds what is half gone.

    Who removes what is kept before anything goes. Interrupted, the next plan has what is left.

    Raises:
        AliasMoved: Somebody promoted a version among them meanwhile; it stays.
    """
    store = registry.store
    erasure = Erasure(now(), by, tuple(things))
    content = _FORM.dump_json(erasure, indent=1, exclude={"name", "is_done"})
    store.put_bytes(f"{_RECORDS}/erased-{erasure.at[:10]}-{uuid4().hex[:12]}-begun.json", content)
    prefixes = {each.prefix: each for each in things}
    going = [thing for thing in find_things(store) if thing.prefix in prefixes]
    for thing in sorted(going, key=lambda thing: _rank(registry, thing)):
        if thing.kind == "version":
            for moved in name_hindrances(registry, [prefixes[thing.prefix]]):
                raise AliasMoved(
                    f"{moved} by now, which was to be erased: it stays, and what it was made of; "
                    "what went before it is gone, and the next erase-document goes on"
                )
        remove_thing(store, thing, before=math.inf)
    there = _prefixes(store)
    for each in read_erasures(store):
        if not each.is_done and there.isdisjoint(thing.prefix for thing in each.things):
            store.put_bytes(_DONE.format(each.name), b"{}")


def _prefixes(store: Store) -> set[str]:
    return {thing.prefix for thing in find_things(store)}


def read_erasures(store: Store) -> list[Erasure]:
    """Read what was erased from a store, or is to be.

    Raises:
        BadData: A record of that is damaged.
    """
    keys = set(store.list(_RECORDS))
    begun = filter(None, map(_BEGUN.fullmatch, sorted(keys)))
    return [
        replace(_read(store, key[0]), name=key[1], is_done=_DONE.format(key[1]) in keys)
        for key in begun
    ]


def _read(store: Store, key: str) -> Erasure:
    source = f"{store.uri}/{key}"
    try:
        erasure = _FORM.validate_json(store.read_bytes(key))
    except ValidationError as error:
        raise BadData(f"{source} is damaged: {error.errors()[0]['msg']}") from error
    for each in erasure.things:
        if each.kind not in _GOES or _place_of(each.prefix) != (each.kind, each.prefix):
            raise BadData(f"{source} is damaged: {each.prefix!r} is no {each.kind} of a store")
    return erasure


def _place_of(prefix: str) -> tuple[Kind, str]:
    """Return what lies under a prefix, be it a folder or the key of the only object."""
    key = prefix if is_key(prefix) else f"{prefix}/{MANIFEST}"
    return kind_of(key), prefix_of(key)


def _rank(registry: Registry, thing: Thing) -> tuple[int, str]:
    if thing.kind != "version":
        return 2, thing.prefix
    model = _version_of(registry, thing)
    return 0 if model and model.parts else 1, thing.prefix


def _version_of(registry: Registry, thing: Thing) -> ModelVersion | None:
    _, name, version = thing.prefix.split("/")
    return registry.version(name, version) if registry.has_version(name, version) else None


_FORM = TypeAdapter(Erasure)
