"""Keeps the head of an answer until its body begins: both leave as one piece.

ASGI asks that of a server, and uvicorn does not do so: two pieces are two system calls, and wake a
client twice.
"""

from asyncio import Transport

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


class WholeHead:
    """Where uvicorn writes one answer, instead of the transport itself."""

    def __init__(self, cycle: RequestResponseCycle, transport: Transport) -> None:
        # Until its head is here; after HEAD nothing follows that. It has this, too: let go of it.
        self._cycle = None if cycle.scope["method"] == "HEAD" else cycle
        self._transport = transport
        self._head: bytes | None = None

    def write(self, data: bytes) -> None:
        """Write a piece; the first one of the answer, its head, waits for the next."""
        if self._cycle is not None and self._cycle.response_started:  # else it is "100 Continue"
            self._cycle, self._head = None, data
            return
        if self._head is not None:
            data, self._head = self._head + data, None
        self._transport.write(data)

    def close(self) -> None:
        """Write the head that no body follows, as what answers has failed, and close."""
        if self._head is not None:
            self.write(b"")
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self._transport.is_closing()
