"""What becomes of crops when a worker ends, hangs or talks nonsense; the worker is a stand-in."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ocr.wire import encode
from serving.metrics import ServingMetrics
from serving.workers.crop_lane import LOSSES, CropLane
from serving.workers.crop_queue import Crop, CropRequest

pytestmark = pytest.mark.anyio


class StandIn(asyncio.Transport):
    """A worker and the way to it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_killed = False

    def kill(self) -> None:
        self.is_killed = True

    def write(self, data: Any) -> None:
        pass

    def abort(self) -> None:
        pass


def open_lane(lost: list[Crop]) -> tuple[CropLane, StandIn]:
    stand_in = StandIn()
    lane = CropLane(
        stand_in,  # type: ignore[arg-type]
        on_idle=lambda _: None,
        on_lost=lost.append,
        answer_s=30,
        metrics=ServingMetrics(),
    )
    lane.connection_made(stand_in)
    return lane, stand_in


def crops(count: int) -> list[Crop]:
    done = asyncio.get_running_loop().create_future()
    request = CropRequest("bars:v1#1", [b"image"] * count, done)
    return [request.next_crop() for _ in range(count)]


ENDS: dict[str, Callable[[CropLane], object]] = {
    "it ended": lambda lane: lane.connection_lost(None),
    "too many answers": lambda lane: lane.data_received(
        encode({"answers": [{}] * 3, "seconds": 0})
    ),
    "no answers": lambda lane: lane.data_received(encode({"seconds": 0})),
    "no message": lambda lane: lane.data_received(b"\0\0\0\2[]"),
    "a message without an end": lambda lane: lane.data_received(b"\xff\xff\xff\xff"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_crops_of_a_worker_that_is_lost_are_given_back_and_it_is_killed(
    end: Callable[[CropLane], object],
) -> None:
    lost: list[Crop] = []
    lane, worker = open_lane(lost)
    batch = crops(2)
    lane.read(batch, max_pixels=1)

    end(lane)

    assert lost == batch
    assert worker.is_killed
    assert lane.ended.done()


async def test_worker_that_ended_while_idle_takes_no_crop() -> None:
    lost: list[Crop] = []
    lane, _ = open_lane(lost)
    lane.connection_lost(None)
    batch = crops(2)

    lane.read(batch, max_pixels=1)

    assert lost == batch


async def test_time_that_a_worker_spends_on_crops_is_summed_up() -> None:
    lane, _ = open_lane([])

    for seconds in (0.25, 0.5):
        lane.read(crops(1), max_pixels=1)
        lane.data_received(encode({"answers": [{}], "seconds": seconds}))

    assert lane.reading_s == 0.75


async def test_crop_that_several_workers_end_over_is_refused() -> None:
    lost: list[Crop] = []
    (crop,) = crops(1)

    for _ in range(LOSSES):
        lane, _ = open_lane(lost)
        lane.read([crop], max_pixels=1)
        lane.connection_lost(None)

    assert len(lost) == LOSSES - 1
    assert crop.request.answers == [
        {
            "fault": {
                "kind": "BadImage",
                "reason": "unreadable_image",
                "message": f"{LOSSES} processes ended over it",
            }
        }
    ]
