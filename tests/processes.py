"""Processes that may end between two looks at them."""

import psutil


def has_ended(process: psutil.Process) -> bool:
    """Say whether it has ended, whether or not anybody asked for its status."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def words_of(process: psutil.Process) -> list[str]:
    """Return its command line; none where it has ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def children_with(word: str, *, parent: int | None = None) -> list[psutil.Process]:
    """Return the children of a process, of this one unless told, with a word of their own."""
    return [child for child in psutil.Process(parent).children() if word in words_of(child)]
