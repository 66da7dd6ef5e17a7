"""A gateway stripped to HTTP and batches: ``python -m NAME BUNDLE PORT THREADS PROCESSES``.

It asks for no key and counts nothing. Threads of its own read, or processes, or both; several of it
may share a port. It says so in a line once all readers are there.
"""

import asyncio
import json
import os
import socket
import sys
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol, cast

import uvicorn
import uvloop

from ocr.image.pixels import decode_image
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.wire import WireBroken, encode, receive, receive_bytes, send, take_message

BATCH = 8
MAX_PIXELS = 20_000_000

Answer = dict[str, Any]
Asked = tuple["asyncio.Future[Answer]", bytes]
Read = Callable[[Sequence[bytes]], list[Answer]]


class Reader(Protocol):
    """Reads a batch, and then rests at its desk again."""

    def take(self, batch: list[Asked]) -> None:
        """Begin to read."""


class Desk:
    """Hands what waits to readers that rest, a fair share each."""

    def __init__(self, count: int) -> None:
        """Wait for so many readers."""
        self._count = count
        self._waiting: deque[Asked] = deque()
        self._resting: list[Reader] = []
        self._is_due = False
        self.is_ready = asyncio.Event()

    async def ask(self, body: bytes) -> Answer:
        """Return what is read on an image."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((answer, body))
        if self._resting and not self._is_due:
            self._is_due = True  # what else arrives at this moment goes with it
            loop.call_soon(self._hand_out)
        return await answer

    def rest(self, reader: Reader) -> None:
        """Let a reader wait for its next batch."""
        self._resting.append(reader)
        if len(self._resting) == self._count:
            self.is_ready.set()
        self._hand_out()

    def settle(self, reader: Reader, batch: list[Asked], answers: Sequence[Answer]) -> None:
        """Answer a batch."""
        for (asked, _), answer in zip(batch, answers, strict=True):
            asked.set_result(answer)
        self.rest(reader)

    def _hand_out(self) -> None:
        self._is_due = False
        while self._waiting and self._resting:
            share = min(BATCH, -(-len(self._waiting) // len(self._resting)))
            batch = [self._waiting.popleft() for _ in range(share)]
            self._resting.pop().take(batch)


class ThreadReader:
    """Reads in a thread of this process."""

    def __init__(self, bundle: Path, desk: Desk) -> None:
        """Start it."""
        self._desk, self._loop = desk, asyncio.get_running_loop()
        self._batches: SimpleQueue[list[Asked]] = SimpleQueue()
        Thread(target=self._work, args=(bundle,), daemon=True).start()

    def take(self, batch: list[Asked]) -> None:
        """Begin to read."""
        self._batches.put(batch)

    def _work(self, bundle: Path) -> None:
        read = load(bundle)
        self._loop.call_soon_threadsafe(self._desk.rest, self)
        while True:
            batch = self._batches.get()
            answers = read([body for _, body in batch])
            self._loop.call_soon_threadsafe(self._desk.settle, self, batch, answers)


class ProcessReader(asyncio.Protocol):
    """Has another process read."""

    def __init__(self, desk: Desk) -> None:
        """Begin without a connection to it."""
        self._desk = desk
        self._batch: list[Asked] = []
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def take(self, batch: list[Asked]) -> None:
        """Begin to read."""
        self._batch = batch
        bodies = [body for _, body in batch]
        message = encode({"sizes": [len(body) for body in bodies]})
        self._transport.write(b"".join((message, *bodies)))

    def data_received(self, data: bytes) -> None:
        """Take an answer once it is whole; the first one says that the net is loaded."""
        self._received += data
        if (message := take_message(self._received)) is not None:
            self._desk.settle(self, self._batch, message["answers"])


def load(bundle: Path) -> Read:
    """Return what reads encoded images with a bundle."""
    recogniser = OnnxRecogniser.load(bundle)

    def read(bodies: Sequence[bytes]) -> list[Answer]:
        images = [decode_image(body, max_pixels=MAX_PIXELS) for body in bodies]
        lines = recogniser.recognise(images)
        return [{"text": line.text, "confidence": line.confidence} for line in lines]

    return read


def fork_reader(bundle: Path) -> socket.socket:
    """Start a process that reads; return the connection to it."""
    ours, its = socket.socketpair()
    if os.fork():
        its.close()
        return ours
    ours.close()
    read, batch = load(bundle), list[bytes]()
    with suppress(WireBroken):  # the other side is gone
        while True:
            send(its, {"answers": read(batch) if batch else []})
            batch = [bytes(receive_bytes(its, size)) for size in receive(its)["sizes"]]
    os._exit(0)


async def serve(bundle: Path, port: int, threads: int, connections: list[socket.socket]) -> None:
    """Answer until killed."""
    loop, desk = asyncio.get_running_loop(), Desk(threads + len(connections))
    for connection in connections:
        connection.setblocking(False)
        await loop.create_connection(lambda: ProcessReader(desk), sock=connection)
    readers = [ThreadReader(bundle, desk) for _ in range(threads)]
    await desk.is_ready.wait()

    async def answer(
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        body, has_more = b"", scope["type"] == "http"
        while has_more:
            message = await receive()
            body += message["body"]
            has_more = message["more_body"]
        found = json.dumps(await desk.ask(body), ensure_ascii=False).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(found))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": found})

    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(1024)
        print(f"reads with {len(readers)} threads, {len(connections)} processes", flush=True)
        config = uvicorn.Config(answer, log_level="error", access_log=False, lifespan="off")
        await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    where, port, threads, processes = sys.argv[1:]
    forked = [fork_reader(Path(where)) for _ in range(int(processes))]
    uvloop.run(serve(Path(where), int(port), int(threads), forked))
