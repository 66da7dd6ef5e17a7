"""What killed runs left in the home of this machine: found by age, never while it is in use."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from ocr.store.whole import remove_whole
from tasks.run.alone import SUFFIX, release, take

DAY_S: Final = 24 * 3600
RESUMED: Final = ("train-", "export-")
RESUMED_S: Final = 30 * DAY_S  # a training goes on where it was, should somebody run it again
HALF: Final = ".*.part"
COPIES: Final = ("bundles", "snapshots", "serving")


@dataclass(frozen=True)
class Leftover:
    """A folder or file that nobody uses.

    Attributes:
        path: Where it is.
        size: Bytes.
        age_s: Seconds since anything in it was written.
        why: What it is, for a person.
        lock: The file to lock before it is removed; None: half a copy, which nobody goes on with.
    """

    path: Path
    size: int
    age_s: float
    why: str
    lock: Path | None


def find_leftovers(home: Path) -> Iterator[Leftover]:
    """Yield what killed runs left and what no run can be at work on any more.

    A folder of a job that could go on counts after 30 days, all else after one.
    """
    for found in _find_work(home):
        kept_s = RESUMED_S if found.path.name.startswith(RESUMED) else DAY_S
        if found.age_s > kept_s:
            yield found
    parts = [*(home / "jobs").glob(HALF), *(p for c in COPIES for p in (home / c).rglob(HALF))]
    for part in sorted(parts):
        half = _describe(part, "half a copy", None)
        if half and half.age_s > DAY_S:
            yield half


def find_work_on(
    home: Path, prefixes: Collection[str], *, names: Collection[str]
) -> Iterator[Leftover]:
    """Yield the work of runs on what was erased, and what of killed runs nobody goes on with.

    Args:
        home: Folder of this machine.
        prefixes: What was erased, or is to be.
        names: Datasets and batches among it: what runs on one of them counts.
    """
    versions = (prefix.split("/")[1:] for prefix in prefixes if prefix.startswith("models/"))
    own = {f"{stage}-{'-'.join(each)}" for each in versions for stage in ("export", "assemble")}
    own |= {f"{stage}-{name}" for name in names for stage in ("prepare", "batch")}
    for found in _find_work(home):
        job = found.path / "job.json"
        said = job.read_text("utf-8", "replace") if job.is_file() else ""
        is_own = found.path.name in own or any(prefix in said for prefix in prefixes)
        if is_own or (not found.path.name.startswith(RESUMED) and _is_free(found)):
            yield found


def _is_free(work: Leftover) -> bool:
    """Say whether no run is at work there."""
    lock = take_if_allowed(work.lock) if work.lock else None
    if lock is None or work.lock is None:
        return False
    release(lock, work.lock)
    return True


def remove_leftover(leftover: Leftover) -> bool:
    """Remove a leftover, unless a run works there or it is not ours; say whether it is gone."""
    try:
        if leftover.lock is None:
            remove_whole(leftover.path)
            return True
        return _remove_locked(leftover, leftover.lock)
    except OSError:  # another user's, or in the way of a mount
        return False


def _find_work(home: Path) -> Iterator[Leftover]:
    for folder in sorted((home / "jobs").glob("*")):
        if folder.suffix != SUFFIX and not folder.name.startswith("."):
            work = _describe(folder, "work of a killed run", folder.with_name(folder.name + SUFFIX))
            if work:
                yield work


def take_if_allowed(path: Path) -> BinaryIO | None:
    """Lock a file and return it; None while somebody else holds it, or when it is not ours."""
    try:
        return take(path)
    except PermissionError:
        return None


def _remove_locked(leftover: Leftover, path: Path) -> bool:
    lock = take_if_allowed(path)
    if lock is None:
        return False
    try:
        found = _describe(leftover.path, leftover.why, path)
        is_unused = found is not None and found.age_s >= leftover.age_s
        if is_unused:
            remove_whole(leftover.path)
        return is_unused
    finally:
        release(lock, path)


def _describe(path: Path, why: str, lock: Path | None) -> Leftover | None:
    """Measure a file or a folder; None when it vanishes meanwhile, or is not ours to look at."""
    try:
        stats = [path.stat(), *(each.lstat() for each in path.rglob("*"))]
    except OSError:  # it may also be a link that leads nowhere
        return None
    age_s = time.time() - max(stat.st_mtime for stat in stats)
    return Leftover(path, sum(stat.st_size for stat in stats), age_s, why, lock)
