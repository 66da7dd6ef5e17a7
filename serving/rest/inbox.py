"""Receives the bodies of requests, each in time and all within one budget."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import Request
from starlette.requests import ClientDisconnect

from serving.problems import Problem
from serving.rest.body import Limits, body_kind, name_types
from serving.rest.budget import Account, Budget
from serving.rest.exchange import MIN_BYTES_A_SECOND

MOST_DIGITS: Final = 20
"""Of a length: more are as good as so many."""

UNCODED: Final[Mapping[str, Sequence[str]]] = {
    "Content-Encoding": ("", "identity"),
    "Transfer-Encoding": ("", "identity", "chunked"),
}
"""What headers may say of a body that comes as it is."""

GRACE_S: Final = 5.0
"""A body may be this late beside the lowest rate: connections begin slowly."""


class Inbox:
    """Where bodies arrive, and are held until their requests are answered."""

    def __init__(self, *, limits: Limits, budget: Budget) -> None:
        self._limits = limits
        self._budget = budget

    @asynccontextmanager
    async def body(self, request: Request, *, file_types: tuple[str, ...]) -> AsyncIterator[bytes]:
        """Receive the whole body, and hold it; the `edge` has left the headers in the state.

        Args:
            request: Whose body.
            file_types: Media types of a file as it is; none: JSON is sent, whatever it is called.

        Raises:
            Problem: It is of another type, encoded, empty, too large or too slow, or there is no
                room.
        """
        headers = request.state.headers
        for header in UNCODED:
            if header.lower() in headers:
                _check_uncoded(header, request.scope["headers"])
        declared = _declared_bytes(headers)
        self._check(headers, declared, file_types)
        with self._budget.account() as account:
            with request.state.caller.body(declared or 0, most=self._limits.body_bytes) as note:
                body = await self._receive(request, account, note)
            if not body:
                raise _empty(file_types)
            yield body

    def hold(self, body: bytes, state: Mapping[str, Any], *, file_types: tuple[str, ...]) -> None:
        """Hold a body that has come already, for as long as until `let_go`; not an encoded one.

        Args:
            body: The whole.
            state: Of the request, where the `edge` has left headers and caller.
            file_types: As for `body`, which raises the same.
        """
        self._check(state["headers"], len(body), file_types)
        with state["caller"].body(len(body), most=self._limits.body_bytes) as note:
            self._budget.add(len(body))
            note(len(body))

    def let_go(self, body: bytes) -> None:
        """Hold a body no longer."""
        self._budget.add(-len(body))

    def _check(
        self, headers: Mapping[str, str], size: int | None, file_types: tuple[str, ...]
    ) -> None:
        """Refuse what is of another type, or of no size that is taken; None: nobody says."""
        if file_types:
            body_kind(headers.get("content-type", ""), file_types)
        if size == 0:
            raise _empty(file_types)
        if size and size > self._limits.body_bytes:
            raise self._too_large()

    async def _receive(
        self, request: Request, account: Account, note: Callable[[int], None]
    ) -> bytes:
        chunks: list[bytes] = []
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(started + self._allowed_s(0)) as deadline:
                while True:
                    piece = await request.receive()
                    if piece["type"] == "http.disconnect":
                        raise ClientDisconnect
                    chunk = piece.get("body", b"")
                    if account.taken + len(chunk) > self._limits.body_bytes:
                        raise self._too_large()
                    account.take(len(chunk))
                    note(len(chunk))
                    chunks.append(chunk)
                    if not piece.get("more_body", False):
                        break
                    deadline.reschedule(started + self._allowed_s(account.taken))
        except TimeoutError:
            message = (
                f"{account.taken} bytes of the body came in {self._allowed_s(account.taken):g} s"
            )
            raise Problem("body_timeout", message) from None
        return b"".join(chunks)

    def _allowed_s(self, received: int) -> float:
        """Return when the next piece must have come, in seconds from the start."""
        return min(self._limits.body_timeout_s, GRACE_S + received / MIN_BYTES_A_SECOND)

    def _too_large(self) -> Problem:
        message = (
            f"The body is larger than {self._limits.body_bytes} bytes, OCRLINE_MAX_BODY_MB here; "
            "send fewer pages or images at once, or scale them down"
        )
        return Problem("body_too_large", message)


def _declared_bytes(headers: Mapping[str, str]) -> int | None:
    """Return how long a body is, as its request says; None: it does not."""
    length = headers.get("content-length", "")
    return int(length.lstrip("0")[:MOST_DIGITS] or "0") if length.isdecimal() else None


def _empty(file_types: tuple[str, ...]) -> Problem:
    return Problem("empty_body", f"The body is empty; send {name_types(file_types)}")


def _check_uncoded(header: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
    named = (value for name, value in headers if name == header.lower().encode())
    coding = b", ".join(named).decode("latin-1")
    if any(each.strip().lower() not in UNCODED[header] for each in coding.split(",")):
        message = f"{header} {coding[:100]!r}: expected none; send the body as it is"
        raise Problem("unsupported_type", message)
