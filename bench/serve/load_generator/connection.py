"""HTTP over one socket, one request at a time, as cheaply as Python can."""

import asyncio
import re
from typing import Any, Final, NamedTuple

LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
END: Final = b"\r\n\r\n"


class Answer(NamedTuple):
    """What came back; `head` in small letters."""

    status: int
    head: bytes
    body: bytes


class Connection(asyncio.Protocol):
    """One connection, kept for as long as the server keeps it."""

    def __init__(self) -> None:
        self.is_closed = False
        self._received = bytearray()
        self._answer: asyncio.Future[Answer] | None = None

    @classmethod
    async def open(cls, port: int) -> "Connection":
        """Connect to a port of loopback."""
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, "127.0.0.1", port)
        return connection

    async def ask(self, request: bytes) -> Answer:
        """Send a request, and wait for the answer.

        Raises:
            ConnectionError: It ended before.
        """
        self._answer = asyncio.get_running_loop().create_future()
        if self.is_closed:
            raise ConnectionResetError("closed")
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        """End it."""
        self.is_closed = True
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready."""
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        """Take a piece of the answer."""
        self._received += data
        end = self._received.find(END)
        if end < 0 or self._answer is None or self._answer.done():
            return
        length = LENGTH.search(self._received, 0, end)
        start = end + len(END)
        if length is None or len(self._received) < (size := start + int(length[1])):
            return
        head = bytes(self._received[:end]).lower()
        self.is_closed = self.is_closed or b"\r\nconnection: close" in head
        body = bytes(self._received[start:size])
        del self._received[:size]
        self._answer.set_result(Answer(int(head[9:12]), head, body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up the request that waits."""
        self.is_closed = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))
