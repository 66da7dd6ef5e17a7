"""An answer over HTTP from a server that may be anybody's: whole, and in time."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx

AGAIN = "retry-after"
PLAIN = {"accept-encoding": "identity"}
"""Headers that ask for an answer as it is: one of 3 kB, packed twice, would be gigabytes."""


async def take_answer(
    stream: AbstractAsyncContextManager[httpx.Response], *, timeout_s: float, most_bytes: int
) -> httpx.Response:
    """Return an answer with its body, and of its headers when to ask again.

    Args:
        stream: Of `httpx.AsyncClient.stream`, asked with `PLAIN`.
        timeout_s: Seconds to its end; httpx itself counts anew with each byte, also of the head.
        most_bytes: Of its body.

    Raises:
        httpx.HTTPError: There is none, or none within these bounds.
    """
    content = bytearray()
    try:
        async with asyncio.timeout(timeout_s), stream as answer:
            if packing := answer.headers.get("content-encoding"):
                raise httpx.DecodingError(f"its answer is packed ({packing}), unasked")
            async for piece in answer.aiter_raw():
                content += piece
                if len(content) > most_bytes:
                    raise httpx.ReadError(f"its answer has more than {most_bytes} bytes")
    except TimeoutError:
        raise httpx.ReadTimeout(f"its answer has no end within {timeout_s:g} s") from None
    again = {AGAIN: answer.headers[AGAIN]} if AGAIN in answer.headers else {}
    return httpx.Response(
        answer.status_code, headers=again, content=bytes(content), request=answer.request
    )


def parse_answer(reply: httpx.Response) -> Any:
    """Return the JSON of an answer.

    Raises:
        ValueError: It is none, or nested without end.
    """
    try:
        return reply.json()
    except RecursionError:
        raise ValueError("an answer that is nested without end") from None
