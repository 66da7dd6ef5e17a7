"""Which worker reads a page, and which is asked no more; the workers are stand-ins."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from ocr.errors import ProcessDied
from ocr.image.pixels import Image
from serving.workers.page_lanes import QUIET_S, PageLanes
from serving.workers.worker import WorkerDied

pytestmark = pytest.mark.anyio

PAGE = np.zeros((2, 2, 3), np.uint8)
Read = asyncio.Task[dict[str, Any]]
OPTIONS = {"annotate": False, "render": False, "words": False}


class StandIn:
    """Reads a page, or says what it has to; crops take its time meanwhile."""

    def __init__(self, *errors: Exception, crops_s: float = 0.0) -> None:
        self.models = frozenset({"pages:p1#1"})
        self.errors = list(errors)
        self.threads: list[int] = []
        self.crops_s = 0.0
        self.is_busy = False
        self.goes_on = threading.Event()
        self.goes_on.set()
        self._crops_s = crops_s

    def read_page(
        self, model: str, image: Image, options: Mapping[str, bool], *, threads: int, **_: Any
    ) -> dict[str, Any]:
        self.threads.append(threads)
        self.crops_s += self._crops_s
        assert self.goes_on.wait(60)
        if self.errors:
            raise self.errors.pop(0)
        return {"lines": [model]}


def open_lanes(*workers: StandIn) -> PageLanes:
    lanes = PageLanes(
        len(workers),
        threads=4,
        timeout_s=1,
        is_busy=lambda worker: worker.is_busy,  # type: ignore[attr-defined]
        crops_s=lambda worker: worker.crops_s,  # type: ignore[attr-defined]
    )
    for worker in workers:
        lanes.add(worker)  # type: ignore[arg-type]
    return lanes


async def test_engine_that_is_lost_inside_a_worker_does_not_cost_the_worker() -> None:
    worker = StandIn(ProcessDied("Paddle Serving gave no answer"))
    lanes = open_lanes(worker)

    answers = [await lanes.read("pages:p1#1", PAGE, OPTIONS) for _ in range(2)]

    assert answers == [{"lines": ["pages:p1#1"]}] * 2


async def test_pages_that_wait_for_a_model_that_nobody_has_are_given_up_and_no_other() -> None:
    lanes = open_lanes(StandIn())
    lost = asyncio.create_task(lanes.read("gone:p1#1", PAGE, OPTIONS))
    await asyncio.sleep(0)

    lanes.give_up("gone:p1#1")

    with pytest.raises(ProcessDied, match="No process has gone:p1 any more"):
        await lost
    assert await lanes.read("pages:p1#1", PAGE, OPTIONS) == {"lines": ["pages:p1#1"]}


async def test_worker_that_died_is_asked_no_more() -> None:
    dead, alive = StandIn(*[WorkerDied("killed")] * 9), StandIn()
    lanes = open_lanes(dead, alive)

    for _ in range(3):
        assert await lanes.read("pages:p1#1", PAGE, OPTIONS) == {"lines": ["pages:p1#1"]}

    assert len(dead.threads) <= 1


async def test_a_lone_page_has_every_thread_and_one_beside_crops_a_single_one() -> None:
    worker, other = StandIn(), StandIn()

    await open_lanes(worker).read("pages:p1#1", PAGE, OPTIONS)
    other.is_busy = True
    await open_lanes(worker, other).read("pages:p1#1", PAGE, OPTIONS)

    assert worker.threads == [4, 1]


async def until_it_reads(worker: StandIn) -> None:
    async with asyncio.timeout(60):
        while not worker.threads:
            await asyncio.sleep(0.001)


async def until_one_rests(resting: StandIn, other: StandIn) -> tuple[PageLanes, Read]:
    """Have one rest after a page, and the other read one until it goes on."""
    lanes = open_lanes(resting, other)
    await lanes.read("pages:p1#1", PAGE, OPTIONS)
    other.goes_on.clear()
    read = asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS))
    await until_it_reads(other)
    return lanes, read


async def test_a_worker_that_crops_keep_busy_rests_while_half_of_them_read_pages() -> None:
    resting, other = StandIn(crops_s=3600), StandIn()
    lanes, read = await until_one_rests(resting, other)
    resting.is_busy = True

    page = asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS))
    done, _ = await asyncio.wait([page], timeout=4 * QUIET_S)
    other.goes_on.set()
    await asyncio.gather(read, page)

    assert not done
    assert (len(resting.threads), len(other.threads)) == (1, 2)


async def test_a_rest_is_over_when_no_more_crops_come() -> None:
    resting, other = StandIn(crops_s=3600), StandIn()
    lanes, read = await until_one_rests(resting, other)

    async with asyncio.timeout(60):
        await lanes.read("pages:p1#1", PAGE, OPTIONS)
    other.goes_on.set()
    await read

    assert (len(resting.threads), len(other.threads)) == (2, 1)


async def test_a_worker_without_crops_is_chosen_before_one_whose_rest_is_shorter() -> None:
    busy, quiet = StandIn(crops_s=3600), StandIn(crops_s=7200)
    lanes = open_lanes(busy, quiet)
    for _ in range(2):
        await lanes.read("pages:p1#1", PAGE, OPTIONS)
    busy.is_busy = True
    await asyncio.sleep(2 * QUIET_S)

    await lanes.read("pages:p1#1", PAGE, OPTIONS)

    assert (len(busy.threads), len(quiet.threads)) == (1, 2)


async def test_a_page_whose_worker_is_lost_is_the_next_one() -> None:
    dying, late = StandIn(WorkerDied("killed")), StandIn()
    lanes, order = open_lanes(dying), []
    dying.goes_on.clear()

    async def read(number: int) -> None:
        await lanes.read("pages:p1#1", PAGE, OPTIONS)
        order.append(number)

    pages = [asyncio.create_task(read(number)) for number in range(3)]
    await until_it_reads(dying)
    dying.goes_on.set()
    while len(lanes._waiting) < len(pages):
        await asyncio.sleep(0.001)
    lanes.add(late)  # type: ignore[arg-type]
    await asyncio.gather(*pages)

    assert order == [0, 1, 2]


async def test_a_page_that_nobody_waits_for_any_more_is_not_begun() -> None:
    resting, other = StandIn(crops_s=3600), StandIn()
    lanes, read = await until_one_rests(resting, other)
    resting.is_busy = True

    page = asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS))
    await asyncio.wait([page], timeout=QUIET_S / 10)
    page.cancel()
    resting.is_busy = False
    await asyncio.wait([page], timeout=4 * QUIET_S)
    other.goes_on.set()
    await read

    assert page.cancelled()
    assert (len(resting.threads), len(other.threads)) == (1, 1)


async def test_a_page_that_waits_is_told_of_a_worker_that_ends_and_of_the_end() -> None:
    resting, other = StandIn(crops_s=3600), StandIn()
    lanes, read = await until_one_rests(resting, other)
    resting.is_busy = True
    pages = [asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS)) for _ in range(2)]
    await asyncio.wait(pages, timeout=QUIET_S / 10)

    resting.goes_on.clear()
    lanes.remove(other)  # type: ignore[arg-type]
    while len(resting.threads) < 2:
        await asyncio.sleep(0.001)
    lanes.close()
    with pytest.raises(ProcessDied, match="No process that reads is up"):
        await pages[1]
    for worker in (resting, other):
        worker.goes_on.set()

    assert await read == await pages[0] == {"lines": ["pages:p1#1"]}


async def test_a_worker_is_free_again_when_its_page_ends_though_nobody_waits_for_that() -> None:
    worker, late = StandIn(), StandIn()
    lanes = open_lanes(worker)
    worker.goes_on.clear()
    left, given = (asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS)) for _ in range(2))
    await until_it_reads(worker)

    left.cancel()
    lanes.add(late)  # type: ignore[arg-type]
    given.cancel()  # in the moment in which it was given a worker
    await asyncio.wait([left, given])
    assert not lanes.reads(late)  # type: ignore[arg-type]
    lanes.remove(late)  # type: ignore[arg-type]
    worker.goes_on.set()
    async with asyncio.timeout(60):
        await lanes.read("pages:p1#1", PAGE, OPTIONS)

    assert (len(worker.threads), len(late.threads)) == (2, 0)


async def test_every_worker_reads_pages_where_no_crops_are_read() -> None:
    worker, other = StandIn(), StandIn()
    lanes = open_lanes(worker, other)
    await lanes.read("pages:p1#1", PAGE, OPTIONS)
    other.goes_on.clear()

    stuck = asyncio.create_task(lanes.read("pages:p1#1", PAGE, OPTIONS))
    await until_it_reads(other)
    await lanes.read("pages:p1#1", PAGE, OPTIONS)
    other.goes_on.set()
    await stuck

    assert len(worker.threads) == 2


async def test_a_lone_page_does_not_wait_for_a_rest() -> None:
    worker = StandIn(crops_s=3600)
    lanes = open_lanes(worker)

    try:
        async with asyncio.timeout(60):
            for _ in range(2):
                await lanes.read("pages:p1#1", PAGE, OPTIONS)
    finally:
        lanes.close()  # else a page that rests is waited for

    assert len(worker.threads) == 2
