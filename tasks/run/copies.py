"""Copies of bundles and snapshots in the home of this machine: used, and removed when long unused.

Whoever uses a copy sets the time of its folder first. Whoever removes one hides it, and then looks
at that time: so a copy that is in use again goes back, and one that is hidden is fetched anew.
"""

import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from ocr.store.folder import MANIFEST
from tasks.run.leftovers import Leftover


def use_copy(folder: Path) -> Path:
    """Note that a copy is in use from now on, if it is there."""
    with suppress(OSError):  # it is not there, or belongs to somebody else
        os.utime(folder)
    return folder


def copies_of_store(uri: str) -> str:
    """Return what the folder is called that has the copies of a store."""
    return sha256(uri.encode()).hexdigest()[:12]


def find_copies(home: Path, *, before: float) -> Iterator[Leftover]:
    """Yield the copies that nobody used since then (epoch, s); a run would fetch them again."""
    of_before = (path.parent for path in home.glob(f"snapshots/*/{MANIFEST}"))  # by digest alone
    copies = [*home.glob("bundles/*/*/*"), *home.glob("snapshots/*/*/*"), *of_before]
    for folder in sorted(copies):
        is_copy = not folder.name.startswith(".") and folder.is_dir()
        if is_copy and folder.stat().st_mtime < before:
            yield _measure(folder, "copy of what the store has")


def find_copies_of(home: Path, uri: str, prefixes: Collection[str]) -> Iterator[Leftover]:
    """Yield what the home has of versions, snapshots and reports of a store, by their prefixes."""
    things = [prefix.split("/") for prefix in prefixes]
    folders = {
        home.joinpath(kind, copies_of_store(uri), *rest)
        for what, *rest in things
        for kind in {"models": ("bundles", "serving"), "datasets": ("snapshots",)}.get(what, ())
    }
    folders |= {home / "snapshots" / rest[-1] for what, *rest in things if what == "datasets"}
    for folder in sorted(filter(Path.is_dir, folders)):
        yield _measure(folder, "copy of what was erased")
    reports = {Path(prefix).stem for prefix in prefixes if prefix.startswith("reports/")}
    for page in sorted((home / "reports").glob("*.html")):
        if sha256(page.read_bytes()).hexdigest() in reports:
            yield _measure(page, "copy of what was erased")


def _measure(copy: Path, why: str) -> Leftover:
    size = sum(file.stat().st_size for file in (copy, *copy.rglob("*")) if file.is_file())
    return Leftover(copy, size, time.time() - copy.stat().st_mtime, why, None)


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
    shutil.rmtree(hidden, ignore_errors=True)
    return True
