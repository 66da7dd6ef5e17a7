import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fastapi import Request
from starlette.types import Message

from serving.access.callers import Caller
from serving.metrics import ServingMetrics
from serving.problems import Problem
from serving.rest.body import FILE_TYPES
from serving.rest.budget import Budget
from serving.rest.inbox import Inbox
from tests.serving.rest.test_capacity import LIMITS


def receive(pieces: Sequence[bytes], *, caller: Caller) -> bytes:
    """Have a body received that comes in these pieces."""
    messages: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces)}
        for number, piece in enumerate(pieces, start=1)
    ]

    async def next_message() -> Message:
        return messages.pop(0)

    state = {"caller": caller, "headers": {"content-type": "image/png"}}
    request = Request({"type": "http", "state": state, "headers": []}, next_message)
    budget = Budget(10**7, unit="bytes", held=ServingMetrics().body_bytes)

    async def body() -> bytes:
        limits = replace(LIMITS, body_bytes=10**7)
        async with Inbox(limits=limits, budget=budget).body(request, file_types=FILE_TYPES) as all_:
            return all_

    return asyncio.run(body())


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_a_key_may_send_as_much_however_it_is_cut(cuts: int) -> None:
    caller = Caller("orders", mb_per_minute=1)
    content = bytes(60_000)

    first = receive([bytes(900_000)], caller=caller)
    second = receive([content[cut::cuts] for cut in range(cuts)], caller=caller)
    with pytest.raises(Problem, match="may send 1000000 bytes a minute"):
        receive([content[cut::cuts] for cut in range(cuts)], caller=caller)

    assert (len(first), len(second)) == (900_000, 60_000)


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_a_body_larger_than_a_minutes_worth_is_refused_and_promised_no_other_time(
    cuts: int,
) -> None:
    content = bytes(1_000_001)

    with pytest.raises(Problem, match="send 1000000 bytes a minute, and this body has more") as no:
        receive([content[cut::cuts] for cut in range(cuts)], caller=Caller("x", mb_per_minute=1))

    assert no.value.code == "body_too_large"
    assert "Retry-After" not in no.value.headers
