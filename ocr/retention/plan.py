"""Says of all that lies in a store whether it may go, and why."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ocr.models.registry import Registry
from ocr.retention.lineage import Lineage, read_lineage
from ocr.retention.things import Kind, Thing, find_things
from ocr.store.protocol import Store

_ALWAYS: Final[Mapping[Kind, str]] = {
    "test split": "settings may freeze it",
    "input index": "finds a snapshot",
    "alias": "the registry",
    "decision": "the history of its model",
    "answer": "a person said it",
    "rows": "says which rows are new",
    "smoke": "says what passed",
    "record of a prune": "says what was removed",
    "earlier report": "does not say of which evaluation it is",
    "state": "says which releases may read the store",
    "unknown": "nothing that ocrline stores today",
}
"""What is always kept, and why."""

_GOES: Final[Mapping[Kind, str]] = {
    "snapshot": "no version learned from it",
    "refused set": "bad rows of a refused set",
    "checkpoint": "no version was exported from it",
    "version": "never champion, nor a part of one",
    "evaluation": "no champion was judged by it",
    "report": "no champion was judged by it",
    "shard of a batch": "its files are read again if the batch grows",
    "mark of use": "out of date",
}
"""Why the others may go."""


@dataclass(frozen=True)
class Verdict:
    """Whether a thing may go, and why or why not."""

    thing: Thing
    may_go: bool
    why: str


def plan_removal(store: Store, *, before: float, versions_too: bool = False) -> list[Verdict]:
    """Judge all that lies in a store, in an order in which it may be removed.

    What finds something goes before what it finds: pipelines, versions, then the rest.

    Args:
        store: The store; it is listed once.
        before: What was written or in use since then stays (epoch, s).
        versions_too: Whether versions that were never champion may go.

    Raises:
        BadData: What the store says of a version or an alias is damaged.
    """
    # Listed before the versions are read: what is registered meanwhile keeps what it names.
    things = list(find_things(store))
    versions = {_reference(each): each for each in things if each.kind == "version"}
    old = {name for name, each in versions.items() if each.is_whole and each.used < before}
    lineage = read_lineage(Registry(store), old=old if versions_too else ())
    judge = _Judge(lineage, things, before=before)
    things.sort(key=lambda thing: (_rank(thing, lineage), thing.prefix))
    return [judge.judge(thing) for thing in things]


class _Judge:
    """What a thing is judged by."""

    def __init__(self, lineage: Lineage, things: Iterable[Thing], *, before: float) -> None:
        self._lineage = lineage
        self._before = before
        self._newest: dict[str, Thing] = {}
        self._evaluated: dict[str, float] = {}
        self._unnamed_until = 0.0
        for thing in things:
            if thing.kind == "snapshot" and thing.is_whole:
                name = thing.prefix.split("/")[1]
                self._newest[name] = max(
                    thing, self._newest.get(name, thing), key=lambda each: each.used
                )
            if thing.kind == "evaluation":
                self._evaluated[thing.prefix] = thing.used
            if thing.kind == "version" and _reference(thing) in lineage.unnamed:
                self._unnamed_until = max(self._unnamed_until, thing.entries[0].modified)

    def judge(self, thing: Thing) -> Verdict:
        why = _ALWAYS.get(thing.kind, "")
        if not why and thing.used >= self._before:
            why = "written or in use since"
        if not thing.is_whole and not why:
            return Verdict(thing, True, "half an upload")
        why = why or self._why_kept(thing)
        return Verdict(thing, not why, why or _GOES[thing.kind])

    def _why_kept(self, thing: Thing) -> str:
        """Say why an old thing stays; empty: it does not."""
        lineage = self._lineage
        if thing.kind == "batch":
            return "what files read; somebody may use it"
        if thing.kind == "version":
            return _why_version(_reference(thing), lineage)
        if thing.kind == "snapshot":
            _, name, digest = thing.prefix.split("/")
            if digest in lineage.snapshots:
                return "a version learned from it"
            if digest in lineage.tests:
                return "a champion was judged by it"
            return "the newest of its name" if self._newest[name] is thing else ""
        if thing.kind == "checkpoint":
            if thing.prefix in lineage.checkpoints:
                return "a version was exported from it"
            is_unsure = thing.entries[0].modified <= self._unnamed_until
            return "a version of an earlier release may be exported from it" if is_unsure else ""
        if thing.kind in ("evaluation", "report"):
            key = re.sub(r"^reports/([^/]+)/.*", r"evaluations/\1", thing.prefix)
            if key in lineage.evaluations:
                return "a champion was judged by it"
            return (
                "its evaluation is in use" if self._evaluated.get(key, 0.0) >= self._before else ""
            )
        return ""


def _why_version(reference: str, lineage: Lineage) -> str:
    if reference not in lineage.known:
        return _ALWAYS["unknown"]
    if reference in lineage.champions:
        return "is or was champion"
    return "registered" if reference in lineage.versions else ""


def _reference(version: Thing) -> str:
    _, name, number = version.prefix.split("/")
    return f"{name}:{number}"


def _rank(thing: Thing, lineage: Lineage) -> int:
    if thing.kind != "version":
        return 2
    return 0 if _reference(thing) in lineage.pipelines else 1
