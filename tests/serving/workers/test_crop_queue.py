"""Which crops are read together, and whose turn it is."""

import asyncio
from collections.abc import Sequence

import pytest

from ocr.image.pixels import BadImage
from serving.workers.crop_queue import MOST_BYTES, MOST_CROPS, Crop, CropQueue, CropRequest

pytestmark = pytest.mark.anyio

MODELS = ("one:v1#1", "two:v1#2")


def request(count: int, *, model: str = MODELS[0], size: int = 1) -> CropRequest:
    done = asyncio.get_running_loop().create_future()
    return CropRequest(model, [bytes(size)] * count, done, most_pixels=100)


def places(crops: Sequence[Crop], requests: Sequence[CropRequest]) -> list[tuple[int, int]]:
    return [(requests.index(crop.request), crop.index) for crop in crops]


async def test_each_request_has_its_turn_however_many_crops_another_has() -> None:
    queue, requests = CropQueue(), [request(100), request(1), request(2)]
    for each in requests:
        queue.add(each)

    first, second = (queue.take(4, models=MODELS) for _ in range(2))

    assert places(first, requests) == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert places(second, requests) == [(2, 1), (0, 2), (0, 3), (0, 4)]


async def test_a_batch_is_of_one_model_that_the_worker_has() -> None:
    queue = CropQueue()
    requests = [request(1, model=model) for model in (MODELS[1], MODELS[0], MODELS[1])]
    for each in requests:
        queue.add(each)

    assert places(queue.take(8, models=MODELS[:1]), requests) == [(1, 0)]
    assert places(queue.take(8, models=MODELS), requests) == [(0, 0), (2, 0)]
    assert not queue


async def test_idle_workers_share_what_waits_and_none_takes_more_than_a_batch() -> None:
    queue = CropQueue()
    shares = []
    for count in (1, 2, 3, 100):
        queue.add(request(count))
        shares.append(queue.share(2))

    assert shares == [1, 2, 3, MOST_CROPS]
    assert len(queue.take(100, models=MODELS)) == 100


async def test_large_crops_are_read_alone() -> None:
    queue = CropQueue()
    queue.add(request(3, size=MOST_BYTES))

    assert [len(queue.take(8, models=MODELS)) for _ in range(4)] == [1, 1, 1, 0]


async def test_crops_nobody_waits_for_are_not_read() -> None:
    queue, requests = CropQueue(), [request(3), request(1), request(1)]
    for each in requests:
        queue.add(each)
    (lost,) = queue.take(1, models=MODELS)

    queue.put_back(lost)
    for each in requests[:2]:
        each.done.cancel()

    assert places(queue.take(8, models=MODELS), requests) == [(2, 0)]


async def test_crops_that_a_worker_was_lost_over_come_first_and_alone() -> None:
    queue, requests = CropQueue(), [request(3), request(1)]
    for each in requests:
        queue.add(each)

    for crop in queue.take(2, models=MODELS):
        queue.put_back(crop)

    taken = []
    for _ in range(3):
        crops = queue.take(8, models=MODELS)
        for crop in crops:
            crop.request.answer(crop.index, {"text": ""})
        taken.append(places(crops, requests))
    assert taken == [[(0, 0)], [(1, 0)], [(0, 1), (0, 2)]]


async def test_a_request_is_done_when_all_is_read_or_it_holds_too_many_pixels() -> None:
    sound, large = request(2), request(3)

    sound.answer(1, {"text": "b", "pixels": 50})
    assert not sound.done.done()
    sound.answer(0, {"text": "a", "pixels": 50})
    large.answer(0, {"text": "a", "pixels": 99})
    large.answer(2, {"text": "c", "pixels": 2})

    assert sound.done.done()
    assert [answer and answer["text"] for answer in sound.answers] == ["a", "b"]
    assert large.done.done()
    assert not large.waits
    assert large.answers[2] == {
        "fault": {
            "kind": "BadImage",
            "reason": "decompression_bomb",
            "message": "too many pixels in one request",
        }
    }


async def test_one_suspect_is_read_at_a_time_and_others_go_on() -> None:
    queue, requests = CropQueue(), [request(2), request(3)]
    queue.add(requests[0])
    first, second = queue.take(2, models=MODELS)
    queue.put_back(first)
    queue.put_back(second)
    queue.add(requests[1])

    taken = [queue.take(1, models=MODELS) for _ in range(3)]
    queue.put_back(first)  # once more
    again = queue.take(1, models=MODELS)
    first.request.refuse(0, BadImage("unreadable_image", "three ended over it"))
    left = queue.take(8, models=MODELS)

    assert places([crop for each in taken for crop in each], requests) == [(0, 0), (1, 0), (1, 1)]
    assert again == [second]
    assert places(left, requests) == [(1, 2)]
    assert not queue


async def test_a_fault_ends_the_request_unless_the_others_are_wanted() -> None:
    done = asyncio.get_running_loop().create_future
    whole = CropRequest(MODELS[0], [b"", b""], done())
    partial = CropRequest(MODELS[0], [b"", b""], done(), partial=True)
    fault = {"fault": {"kind": "BadData"}}

    for each in (whole, partial):
        each.answer(0, fault)

    assert whole.done.done()
    assert not partial.done.done()


async def test_pixels_of_images_that_cannot_be_read_count() -> None:
    asked = CropRequest(
        MODELS[0],
        [b""] * 3,
        asyncio.get_running_loop().create_future(),
        most_pixels=9,
        partial=True,
    )

    for index in range(2):
        asked.answer(index, {"fault": {"kind": "BadData"}, "pixels": 5})

    assert asked.refused_at == 1
    assert asked.done.done()


async def test_what_waits_for_a_model_that_nobody_has_is_given_up_and_no_other() -> None:
    queue = CropQueue()
    lost, suspected, kept = request(2), request(1), request(1, model=MODELS[1])
    for each in (suspected, lost, kept):
        queue.add(each)
    (crop,) = queue.take(1, models=MODELS)
    queue.put_back(crop)

    queue.give_up(MODELS[0])

    gone = {"kind": "ProcessDied", "message": "No process has one:v1 any more"}
    assert [lost.answers, suspected.answers] == [[{"fault": gone}] * 2, [{"fault": gone}]]
    assert [each.done.done() for each in (lost, suspected, kept)] == [True, True, False]
    assert places(queue.take(8, models=MODELS), [lost, suspected, kept]) == [(2, 0)]
