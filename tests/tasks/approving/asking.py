"""A flow run that asks, in a thread of its own, so that a test can answer it."""

import contextvars
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from tasks.approving.waiting import Waiting, answer, list_waiting

WAIT_S = 120
Made = TypeVar("Made")


@contextmanager
def in_background(work: Callable[[], Made]) -> Iterator["Future[Made]"]:
    """Run something in a thread that knows the same settings; where the test fails, say no."""
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(contextvars.copy_context().run, work)
        except BaseException:
            for each in list_waiting():
                answer(each, decision="reject", by="the test", reason="it failed")
            raise


def wait_for_question(run: "Future[Any]", *, but: Waiting | None = None, of: str = "") -> Waiting:
    """Return what waits for a person, once another question than before does."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if run.done():
            pytest.fail(f"the run ended without a question: {run.exception() or run.result()}")
        asking = [each for each in list_waiting() if of in each.model]
        if others := [each for each in asking if but is None or each.question != but.question]:
            return others[-1]
        time.sleep(0.2)
    return pytest.fail("nothing waits for a person")
