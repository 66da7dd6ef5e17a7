"""Copies of bundles and snapshots in the home of this machine: used, and removed when long unused.

Whoever uses a copy sets the time of its folder first. Whoever removes one hides it, and then looks
at that time: so a copy that is in use again goes back, and one that is hidden is fetched anew.
"""

import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from ocr.store.folder import MANIFEST, name_copies
from ocr.store.whole import remove_whole
from tasks.run.leftovers import HALF, Leftover


def use_copy(folder: Path) -> Path:
    """Note that a copy is in use from now on, if it is there."""
    with suppress(OSError):  # it is not there, or belongs to somebody else
        os.utime(folder)
    return folder


def find_copies(home: Path, *, before: float) -> Iterator[Leftover]:
    """Yield the copies that nobody used since then (epoch, s); a run would fetch them again."""
    of_before = (path.parent for path in home.glob(f"snapshots/*/{MANIFEST}"))  # by digest alone
    copies = [*home.glob("bundles/*/*/*"), *home.glob("snapshots/*/*/*"), *of_before]
    for folder in sorted(copies):
        is_copy = not folder.name.startswith(".") and folder.is_dir()
        if is_copy and folder.stat().st_mtime < before:
            yield from _measure(folder, "copy of what the store has")


def find_copies_of(
    home: Path, uri: str, prefixes: Collection[str], *, there: Collection[str]
) -> Iterator[Leftover]:
    """Yield what the home has of things that were erased from a store, or are not there any more.

    Args:
        home: Folder of this machine.
        uri: Address of the store.
        prefixes: What was erased, or is to be: versions, snapshots and reports among it.
        there: What the store has.
    """
    own, digests = name_copies(uri), {each.rpartition("/")[2] for each in prefixes}
    for kind, what in (("bundles", "models"), ("serving", "models"), ("snapshots", "datasets")):
        for folder in (home / kind).glob("*/*/*"):
            prefix = f"{what}/{folder.parent.name}/{folder.name}"
            is_gone = folder.parents[1].name == own and prefix not in there
            if (is_gone or prefix in prefixes) and folder.is_dir() and folder.name[0] != ".":
                yield from _measure(folder, "copy of what was erased")
        for half in (home / kind).rglob(HALF):
            yield from _measure(half, "half a copy")
    for folder in (home / "snapshots").glob("*"):  # of before: by digest alone
        if folder.name in digests:
            yield from _measure(folder, "copy of what was erased")
    pages = {Path(prefix).stem for prefix in prefixes if prefix.startswith("reports/")}
    for page in (home / "reports").glob("*"):
        with suppress(OSError):  # a folder, another user's, a link that leads nowhere
            if page.suffix == ".part" or sha256(page.read_bytes()).hexdigest() in pages:
                yield from _measure(page, "copy of what was erased")


def _measure(copy: Path, why: str) -> Iterator[Leftover]:
    with suppress(OSError):  # somebody removed it meanwhile
        size = sum(each.lstat().st_size for each in (copy, *copy.rglob("*")) if each.is_file())
        yield Leftover(copy, size, time.time() - copy.lstat().st_mtime, why, None)


def remove_copy(copy: Leftover, *, before: float) -> bool:
    """Remove a copy of ours that nobody used since then (epoch, s); say whether it is gone.

    Killed in between, what is hidden is left, and the next sweep removes it.
    """
    hidden = copy.path.with_name(f".{uuid4().hex}.part")
    try:
        copy.path.rename(hidden)
    except OSError:  # another removes it, or it is another user's
        return False
    if hidden.stat().st_mtime >= before:
        with suppress(OSError):  # it was fetched again meanwhile
            hidden.rename(copy.path)
            return False
    remove_whole(hidden)
    return True
