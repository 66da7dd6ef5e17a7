import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import Message

from serving.access.callers import Caller
from serving.metrics import ServingMetrics
from serving.problems import Problem
from serving.rest.body import FILE_TYPES
from serving.rest.budget import Budget
from serving.rest.inbox import Inbox
from tests.serving.conftest import Clock
from tests.serving.rest.test_capacity import LIMITS


def receive(pieces: Sequence[bytes], *, caller: Caller, declared: int = 0) -> bytes:
    """Have a body received that comes in these pieces, and then no more.

    Args:
        pieces: What comes.
        caller: Whose it is.
        declared: Its length as the head has it; 0: it comes in chunks.
    """
    whole = declared or sum(map(len, pieces))
    messages: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": sum(map(len, pieces[:end])) < whole}
        for end, piece in enumerate(pieces, start=1)
    ]
    messages.append({"type": "http.disconnect"})

    async def next_message() -> Message:
        return messages.pop(0)

    length = {"content-length": str(declared)} if declared else {}
    state = {"caller": caller, "headers": {"content-type": "image/png"} | length}
    request = Request({"type": "http", "state": state, "headers": []}, next_message)
    budget = Budget(10**7, unit="bytes", held=ServingMetrics().body_bytes)

    async def body() -> bytes:
        limits = replace(LIMITS, body_bytes=10**7)
        async with Inbox(limits=limits, budget=budget).body(request, file_types=FILE_TYPES) as all_:
            return all_

    return asyncio.run(body())


def refused_for_s(pieces: Sequence[bytes], *, caller: Caller, declared: int = 0) -> int:
    """Have a body refused; return in how many seconds it is to come again."""
    with pytest.raises(Problem, match="may send 1000000 bytes a minute") as refused:
        receive(pieces, caller=caller, declared=declared)
    return int(refused.value.headers["Retry-After"])


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_a_key_may_send_as_much_however_it_is_cut(cuts: int, clock: Clock) -> None:
    caller = Caller("orders", mb_per_minute=1)
    content = bytes(60_000)
    pieces = [content[cut::cuts] for cut in range(cuts)]

    receive([bytes(900_000)], caller=caller)
    waits_s = []
    for _ in range(2):
        waits_s.append(refused_for_s([], caller=caller))
        clock.now_s += waits_s[-1]
        assert receive(pieces, caller=caller) == content

    assert waits_s == [54, 4]  # to a minute's worth, as nobody says how much comes


@pytest.mark.parametrize("declared", [400_000, 0])
def test_who_waits_as_long_as_is_said_passes_every_time(declared: int, clock: Clock) -> None:
    caller = Caller("orders", mb_per_minute=1)
    pieces = [bytes(100_000)] * 4
    began_s = clock.now_s

    for _ in range(30):
        try:
            receive(pieces, caller=caller, declared=declared)
        except Problem as problem:
            clock.now_s += int(problem.headers["Retry-After"])
            receive(pieces, caller=caller, declared=declared)

    minutes = (clock.now_s - began_s) / 60
    assert minutes <= 30 * 0.4 <= 1 + minutes  # at first a minute's worth


def test_a_body_that_says_its_length_is_refused_before_it_comes_and_costs_nothing(
    clock: Clock,
) -> None:
    caller = Caller("orders", mb_per_minute=1)
    receive([bytes(700_000)], caller=caller, declared=700_000)

    waits_s = [refused_for_s([], caller=caller, declared=400_000) for _ in range(3)]

    assert waits_s == [6, 6, 6]  # 100,000 bytes are short
    receive([bytes(300_000)], caller=caller, declared=300_000)
    clock.now_s += 60
    receive([bytes(1_000_000)], caller=caller, declared=1_000_000)


@pytest.mark.usefixtures("clock")
def test_of_a_body_that_does_not_come_whole_what_came_is_taken() -> None:
    caller = Caller("orders", mb_per_minute=1)

    with pytest.raises(ClientDisconnect):
        receive([bytes(300_000)], caller=caller, declared=1_000_000)

    receive([bytes(700_000)], caller=caller, declared=700_000)
    assert refused_for_s([], caller=caller, declared=1) == 1


def test_bodies_in_chunks_come_one_by_one_and_each_client_that_waits_gets_through(
    clock: Clock,
) -> None:
    """Where each began, and was cut off when all was spent, none of them ever got through."""
    caller = Caller("orders", mb_per_minute=1)

    with caller.body(0, most=10**7) as note:
        note(600_000)
        with pytest.raises(Problem) as refused, caller.body(0, most=10**7):
            pytest.fail("two at once")
    waits_s = []
    for _ in range(3):
        waits_s.append(refused_for_s([], caller=caller))
        clock.now_s += waits_s[-1]
        assert len(receive([bytes(300_000)] * 2, caller=caller)) == 600_000

    assert refused.value.headers["Retry-After"] == "60"
    assert waits_s == [36, 36, 36]


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_a_body_larger_than_a_minutes_worth_is_refused_and_promised_no_other_time(
    cuts: int,
) -> None:
    content = bytes(1_000_001)

    with pytest.raises(Problem, match="send 1000000 bytes a minute, and this body has more") as no:
        receive([content[cut::cuts] for cut in range(cuts)], caller=Caller("x", mb_per_minute=1))

    assert no.value.code == "body_too_large"
    assert "Retry-After" not in no.value.headers


@pytest.mark.usefixtures("clock")
def test_what_there_is_no_room_for_costs_a_key_nothing() -> None:
    caller = Caller("orders", mb_per_minute=1)
    metrics = ServingMetrics()
    inbox = Inbox(limits=LIMITS, budget=Budget(10, unit="bytes", held=metrics.body_bytes))
    state = {"caller": caller, "headers": {"content-type": "image/png"}}

    for _ in range(3):
        with pytest.raises(Problem, match="over 10 already"):
            inbox.hold(bytes(400_000), state, file_types=FILE_TYPES)

    receive([bytes(1_000_000)], caller=caller, declared=1_000_000)
    assert "ocrline_body_bytes 0.0" in metrics.render().decode()


@pytest.mark.usefixtures("clock")
def test_an_empty_body_is_no_body_of_unknown_length() -> None:
    caller = Caller("orders", mb_per_minute=1)
    receive([bytes(100_000)], caller=caller, declared=100_000)
    state = {"caller": caller, "headers": {"content-type": "image/png", "content-length": "00"}}
    inbox = Inbox(limits=LIMITS, budget=Budget(10, unit="", held=ServingMetrics().body_bytes))

    async def body() -> None:
        request = Request({"type": "http", "state": state, "headers": []})
        async with inbox.body(request, file_types=FILE_TYPES):
            pass

    with pytest.raises(Problem, match="The body is empty"):
        asyncio.run(body())
    with pytest.raises(Problem, match="The body is empty"):
        inbox.hold(b"", state, file_types=FILE_TYPES)
