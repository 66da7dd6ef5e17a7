"""One request and its answer, as they pass through the edge."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from starlette.types import Message, Receive, Send

from serving.access.access_log import AccessRecord

MIN_BYTES_A_SECOND: Final = 1024
"""A client that sends or takes less on average is given up."""

PIECE_BYTES: Final = 2**18
"""What is written of an answer at once; the rest follows when the client has taken that."""

LINGER_S: Final = 1.0
"""How long a refused client may read its answer before the connection ends."""

SECURITY_HEADERS: Final = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_RAW: Final = {name.encode(): value.encode() for name, value in SECURITY_HEADERS.items()}


def header_lines(headers: Mapping[str, str]) -> bytes:
    """Write headers as HTTP/1.1 has them, for an answer that does not pass through here."""
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")


def fresh_request_id() -> str:
    """Make an id that no other request has."""
    return os.urandom(16).hex()


class Exchange:
    """Passes messages on, adds the headers of every answer, and remembers how far both are.

    A connection whose request has a body that nobody read is closed: what is left of it would be
    taken for the next request, or have to be received for nothing.
    """

    def __init__(
        self, headers: Mapping[str, str], receive: Receive, send: Send, *, record: AccessRecord
    ) -> None:
        """Begin with nothing received.

        Args:
            headers: The request's, by their names in small letters.
            receive: Of the server.
            send: The same.
            record: Of the request; its status and bytes are kept here.
        """
        self._receive = receive
        self._send = send
        self._waits_for_100 = headers.get("expect", "").lower() == "100-continue"
        self._has_unread = (
            headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        )
        self._closes = False
        self.record = record
        self.has_started = False
        self.on_start: Callable[[], None] | None = None

    async def receive(self) -> Message:
        """Receive the next piece of the body."""
        self._waits_for_100 = False
        message = await self._receive()
        self._has_unread = bool(message.get("more_body", False))
        self.record.received += len(message.get("body", b""))
        return message

    async def send(self, message: Message) -> None:
        """Send the next piece of the answer."""
        if message["type"] == "http.response.start":
            self._start(message)
            await self._send(message)
            return
        body = message.get("body", b"")
        self.record.sent += len(body)
        starts = range(0, len(body) - PIECE_BYTES, PIECE_BYTES)
        for start in starts:  # each waits for those before
            await self._send_more(body[start : start + PIECE_BYTES])
        message["body"] = body[len(starts) * PIECE_BYTES :]
        if self._closes and not message.get("more_body", False):
            await self._send_more(message.get("body", b""))
            await self._linger()
            message["body"] = b""
        await self._send(message)

    async def _send_more(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    def _start(self, message: Message) -> None:
        self.has_started = True
        if self.on_start:
            self.on_start()
        self.record.status = message["status"]
        headers = {**_RAW, **dict(message["headers"])}
        headers[b"x-request-id"] = self.record.request_id.encode()
        if self._has_unread:
            self._closes = True
            headers[b"connection"] = b"close"
        message["headers"] = list(headers.items())

    async def _linger(self) -> None:
        """Throw away what still comes: closed at once, the client would lose the answer too."""
        if self._waits_for_100:  # and so it sends no body
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while self._has_unread:
                    await self.receive()
