"""Documents that somebody wants erased: found in the store and on this machine, and removed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ocr.errors import BadInput
from ocr.lineage.documents import Holding, find_holdings
from ocr.lineage.erasure import erase, name_hindrances, plan_erasure, read_erasures
from tasks.notifying.notify import name_mover
from tasks.run.copies import find_copies_of, remove_copy
from tasks.run.leftovers import Leftover, find_work_on, remove_leftover
from tasks.workspace import Workspace


@dataclass(frozen=True)
class Erased:
    """What goes, or went.

    Attributes:
        things: Of the store.
        copies: Paths on this machine of what the store has, or had: runs of it too.
        hindrances: Aliases that point at what would go.
        left: What is still there once all is done: of the store by prefix, here by path.
    """

    things: tuple[Holding, ...]
    copies: tuple[str, ...]
    hindrances: tuple[str, ...]
    left: tuple[str, ...] = ()


def find_documents(workspace: Workspace, paths: Sequence[str]) -> Erased:
    """Find what would have to go; remove nothing. Arguments and errors as of `find_holdings`."""
    things = plan_erasure(workspace.registry, paths)
    return Erased(
        tuple(things),
        tuple(str(each.path) for each in _find_here(workspace, things)),
        tuple(name_hindrances(workspace.registry, things)),
    )


def erase_documents(workspace: Workspace, paths: Sequence[str]) -> Erased:
    """Remove all that holds documents, and what was made of it: of the store, then here.

    Raises:
        BadInput: A version that would go is online.
        AliasMoved: Somebody put one online meanwhile.
    """
    found = find_documents(workspace, paths)
    if found.hindrances:
        raise BadInput(
            f"{'; '.join(found.hindrances)}, which was made of them: take them out of labels and "
            "images, retrain and promote, then erase; nothing was removed"
        )
    if found.things:
        erase(workspace.registry, found.things, by=name_mover())
    here = list(_find_here(workspace, found.things))
    stay = [str(each.path) for each in here if not _remove(each)]
    again = [each.prefix for each in find_holdings(workspace.registry, paths)]
    return Erased(found.things, tuple(str(each.path) for each in here), (), (*again, *stay))


def _find_here(workspace: Workspace, things: Sequence[Holding]) -> list[Leftover]:
    """Find what this machine has of things, and of all that was erased before, wherever."""
    before = (each for erasure in read_erasures(workspace.store) for each in erasure.things)
    prefixes = {each.prefix for each in (*things, *before)}
    copies = find_copies_of(workspace.home, workspace.store.uri, prefixes)
    return [*copies, *find_work_on(workspace.home, prefixes)]


def _remove(each: Leftover) -> bool:
    return remove_copy(each, before=math.inf) if each.lock is None else remove_leftover(each)
