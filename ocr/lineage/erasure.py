"""Erases documents from a store: all that holds them, and what was made of that."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from ocr.errors import AliasMoved, BadData
from ocr.lineage.documents import Holding, find_holdings
from ocr.models.alias import now
from ocr.models.key import version_key
from ocr.models.registry import ModelVersion, Registry
from ocr.retention.removal import remove_thing
from ocr.retention.things import Thing, find_things, kind_of
from ocr.store.folder import MANIFEST
from ocr.store.key import is_key
from ocr.store.protocol import Store

_RECORDS = "prunes"
_BEGUN = re.compile(r"prunes/(erased-.+)-begun\.json")
_DONE = "prunes/{}-done.json"


@dataclass(frozen=True)
class Erasure:
    """What was erased, or is to be; it names none of the documents.

    Attributes:
        name: Of its record.
        at: When it began.
        by: Who told it to.
        things: All that goes.
        is_done: Whether all went.
    """

    name: str
    at: str
    by: str
    things: tuple[Holding, ...]
    is_done: bool = False


def plan_erasure(registry: Registry, paths: Sequence[str]) -> list[Holding]:
    """Find what has to go, as `find_holdings` does, and what an interrupted erasure left."""
    found = find_holdings(registry, paths)
    known = {each.prefix for each in found}
    for erasure in read_erasures(registry.store):
        if not erasure.is_done:
            there = {thing.prefix for thing in find_things(registry.store)} - known
            found += [each for each in erasure.things if each.prefix in there]
            known |= there
    return found


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
    """Remove what `plan_erasure` found; versions first, so that nobody finds what is half gone.

    Who removes what is kept before anything goes. Interrupted, the next plan has what is left.

    Raises:
        AliasMoved: Somebody promoted a version among them meanwhile; it stays.
    """
    store = registry.store
    erasure = Erasure(f"erased-{now()[:10]}-{uuid4().hex[:12]}", now(), by, tuple(things))
    store.put_bytes(f"{_RECORDS}/{erasure.name}-begun.json", _FORM.dump_json(erasure, indent=1))
    prefixes = {each.prefix: each for each in things}
    going = [thing for thing in find_things(store) if thing.prefix in prefixes]
    for thing in sorted(going, key=lambda thing: _rank(registry, thing)):
        if thing.kind == "version":
            for moved in name_hindrances(registry, [prefixes[thing.prefix]]):
                raise AliasMoved(f"{moved} by now, which was to be erased: it stays")
        remove_thing(store, thing, before=math.inf)
    for each in read_erasures(store):
        if not each.is_done:
            store.put_bytes(_DONE.format(each.name), b"{}")


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
        raise BadData(f"{source} is damaged: {error}") from error
    for prefix in (each.prefix for each in erasure.things):
        if not is_key(prefix) and not is_key(f"{prefix}/{MANIFEST}"):  # or it leads elsewhere
            raise BadData(f"{source} is damaged: {prefix!r} is no place of a store")
    return erasure


def _rank(registry: Registry, thing: Thing) -> tuple[int, str]:
    if thing.kind != "version":
        return 2, thing.prefix
    model = _version_of(registry, thing)
    return 0 if model and model.parts else 1, thing.prefix


def _version_of(registry: Registry, thing: Thing) -> ModelVersion | None:
    _, name, version = thing.prefix.split("/")
    return registry.version(name, version) if registry.has_version(name, version) else None


_FORM = TypeAdapter(Erasure)
