"""Copies of bundles and snapshots in the home of this machine: used, and removed when long unused.

Whoever uses a copy sets the time of its folder first. Whoever removes one hides it, and then looks
at that time: so a copy that is in use again goes back, and one that is hidden is fetched anew.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from ocr.store.folder import MANIFEST
from tasks.run.leftovers import Leftover


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
        if not folder.name.startswith(".") and folder.is_dir():
            used = folder.stat().st_mtime
            if used < before:
                size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
                yield Leftover(folder, size, time.time() - used, "copy of what the store has", None)


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
