"""Spares the garbage collector what it does not find: many small objects that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_USUAL = gc.get_threshold()
_RARE = 50_000


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Let the collector run every 50,000 new objects instead of every few hundred.

    Millions of rows are made, kept and walked over again and again, without a cycle among them:
    a tenth of a preparation's time.
    """
    gc.set_threshold(_RARE, *_USUAL[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_USUAL)
