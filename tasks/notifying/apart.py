"""Delivery in a process of its own, which no answer that goes on for ever can hold.

``python -m tasks.notifying.apart``, with a notice, a target and the entry of the ledger that it
inherits, pickled by us, at its input.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Final

from tasks.notifying.delivery import Undelivered, deliver, open_service
from tasks.notifying.ledger import mark_told
from tasks.notifying.notice import Notice
from tasks.notifying.targets import Target

MOST_S: Final = 60
MOST_BYTES: Final = 256 << 20
"""Of memory, beyond what the libraries take."""


def deliver_apart(
    notice: Notice, target: Target, entry: int, *, most_s: int = MOST_S
) -> Undelivered | None:
    """Tell one target; it is given up after so many seconds, whatever it answers.

    The process goes on, and keeps its claim of the entry, where this one is killed.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((notice, target, entry, most_s)),
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        pass_fds=[entry],
        capture_output=True,
        check=False,
    )
    mark_told(entry)  # it was tried, even where the process was ended over it
    if done.returncode == -signal.SIGALRM:
        return Undelivered(target.name, f"its answer had no end within {most_s} s")
    if done.returncode:
        return Undelivered(target.name, f"its process ended with {done.returncode}")
    why = done.stdout.decode(errors="replace")
    return Undelivered(target.name, why) if why else None


def main() -> None:
    """Tell the target; print why it could not be told, or nothing."""
    notice, target, entry, most_s = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own
    open_service(target)  # now: the seconds and the memory that this takes are not the target's
    signal.signal(signal.SIGALRM, partial(_give_up, entry))
    signal.alarm(most_s)  # ends this process, even where nobody waits for it any more
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    undelivered = deliver(notice, target)
    mark_told(entry)
    if undelivered is not None:
        sys.stdout.write(undelivered.why)


def _give_up(entry: int, *_: object) -> None:
    mark_told(entry)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGALRM)


if __name__ == "__main__":
    main()
