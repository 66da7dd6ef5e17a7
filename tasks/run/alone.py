"""One run of this machine at a time makes a thing; the others wait, say so, and find it made."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tasks.run.jobs import JobEnded
from tasks.run.narration import narrate
from tasks.run.together import is_ended

POLL_S = 0.5
SAY_EVERY_S = 60
SUFFIX = ".lock"


@dataclass(frozen=True)
class Place:
    """A folder that nobody else works in.

    Attributes:
        folder: Holds what a killed run left there; made by whoever needs it.
        lock: Descriptor of the file that is locked. A process that inherits it keeps the place.
    """

    folder: Path
    lock: int

    @contextmanager
    def emptied(self) -> Iterator[Path]:
        """Give the folder empty, and remove it afterwards: for work that starts afresh."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        try:
            yield self.folder
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def alone(home: Path, name: str, *, stage: str) -> Iterator[Place]:
    """Work in `jobs/<name>` while nobody else of this machine does.

    The lock is the kernel's (flock): it is free when its holder and the job that inherited it have
    ended, however they did. So whoever waits for a run that is killed goes on where that one was.

    Args:
        home: Folder of this machine.
        name: What is made; equal for equal inputs.
        stage: Who says that it waits.

    Raises:
        JobEnded: Another task of this run failed, or the run was stopped, while it waited.
    """
    folder = home / "jobs" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.with_name(f"{name}{SUFFIX}")
    lock = _acquire(path, name=name, stage=stage)
    try:
        yield Place(folder, lock.fileno())
    finally:
        release(lock, path)


def take(path: Path) -> BinaryIO | None:
    """Lock a file and return it; None while somebody else holds it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    file.close()  # held, or the last holder removed it
    return None


def release(file: BinaryIO, path: Path) -> None:
    """Remove the file of a lock and free it; who waits for it opens a new one."""
    path.unlink(missing_ok=True)
    fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough: a process may have inherited it
    file.close()


def _acquire(path: Path, *, name: str, stage: str) -> BinaryIO:
    started = time.monotonic()
    say_at = 0.0
    while True:
        lock = take(path)
        if lock is not None:
            return lock
        if is_ended():
            raise JobEnded(f"stopped while another run of this machine makes {name}")
        waited_s = time.monotonic() - started
        if waited_s >= say_at:
            since = f" (for {waited_s / 60:.0f} min)" if say_at else ""
            narrate(stage, f"waiting for another run of this machine, which makes {name}{since}")
            say_at += SAY_EVERY_S
        time.sleep(POLL_S)
