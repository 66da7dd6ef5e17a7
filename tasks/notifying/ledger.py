"""What was told already: a file an event and target, of some length once it was."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path


@contextmanager
def claimed(home: Path, *, event: str, target: str) -> Iterator[int | None]:
    """Yield the entry of an event that is the caller's to tell that target; None: it is not.

    It was told, or another process tells it now. One that ends before it was told leaves it to the
    next that claims it.

    Args:
        home: Folder of this machine.
        event: Names the event.
        target: Whom to tell: its address, of which only the digest is kept.
    """
    digest = sha256(f"{event}\0{target}".encode()).hexdigest()
    path = home / "notifications" / "told" / digest[:2] / digest[2:]
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("ab") as entry:
        try:
            fcntl.flock(entry, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield None if path.stat().st_size else entry.fileno()


def mark_told(entry: int) -> None:
    """Note that the event of an entry was told, or could not be: nobody tells it again."""
    os.ftruncate(entry, 1)  # which a full disk allows
