"""Documents that somebody wants erased: found in the store and on this machine, and removed."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ocr.errors import BadInput
from ocr.lineage.documents import Holding
from ocr.lineage.erasure import erase, plan_erasure, read_erasures
from ocr.retention.things import find_things
from tasks.notifying.notify import name_mover
from tasks.run.copies import find_copies_of, remove_copy
from tasks.run.leftovers import Leftover, find_work_on, remove_leftover
from tasks.workspace import Workspace


@dataclass(frozen=True)
class Erased:
    """What goes, or went.

    Attributes:
        things: Of the store.
        copies: Paths on this machine of what the store has, or had, and of the work of runs.
        hindrances: Aliases that point at what would go.
        unknown: Paths of documents that nothing in the store is called.
        left: What is still there once all is done: of the store by prefix, here by path.
    """

    things: tuple[Holding, ...]
    copies: tuple[str, ...]
    hindrances: tuple[str, ...]
    unknown: tuple[str, ...]
    left: tuple[str, ...] = ()


def find_documents(workspace: Workspace, paths: Sequence[str]) -> Erased:
    """Find what would have to go; remove nothing. Arguments and errors as of `find_holdings`."""
    plan = plan_erasure(workspace.registry, paths)
    here = [str(each.path) for each in _find_here(workspace, plan.things)]
    return Erased(plan.things, tuple(here), plan.hindrances, plan.unknown)


def erase_documents(workspace: Workspace, paths: Sequence[str]) -> Erased:
    """Remove all that holds documents, and what was made of it: of the store, then here.

    Raises:
        BadInput: A version that would go is online; else as `find_holdings`.
        AliasMoved: Somebody put one online meanwhile.
    """
    plan = plan_erasure(workspace.registry, paths)
    if plan.hindrances:
        raise BadInput(
            f"{'; '.join(plan.hindrances)}, which was made of them: take them out of labels and "
            "images, retrain and promote, then erase; nothing was removed"
        )
    if plan.things:
        erase(workspace.registry, plan.things, by=name_mover())
    here = _find_here(workspace, plan.things)
    stay = [str(each.path) for each in here if not _remove(each)]
    again = [each.prefix for each in plan_erasure(workspace.registry, paths).things]
    copies = tuple(str(each.path) for each in here)
    return Erased(plan.things, copies, (), plan.unknown, (*again, *stay))


def _find_here(workspace: Workspace, things: Collection[Holding]) -> list[Leftover]:
    """Find what this machine has of things, and of all that was erased before, wherever."""
    before = (each for erasure in read_erasures(workspace.store) for each in erasure.things)
    prefixes = {each.prefix for each in (*things, *before)}
    there = {thing.prefix for thing in find_things(workspace.store)}
    places = (each.prefix.split("/") for each in things)
    names = {name for what, name, *_ in places if what in ("datasets", "batches")}
    home, uri = workspace.home, workspace.store.uri
    copies = find_copies_of(home, uri, prefixes, there=there)
    return [*copies, *find_work_on(home, prefixes, names=names)]


def _remove(each: Leftover) -> bool:
    return remove_copy(each, before=math.inf) if each.lock is None else remove_leftover(each)
