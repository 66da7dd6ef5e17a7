"""A TCP proxy on loopback that lets a server vanish in the middle of a transfer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Fault = Literal["stall", "vanish", "drop"]


class FaultyProxy:
    """Forwards to `target` until `limit` bytes went up or down, then does what `fault` says.

    stall: holds every connection open and silent. vanish: cuts all and refuses new ones.
    drop: cuts all once, and forwards from then on.
    """

    def __init__(
        self, target: str, *, direction: Literal["up", "down"], limit: int, fault: Fault
    ) -> None:
        host, _, port = target.partition(":")
        self._target = (host, int(port))
        self._direction, self._limit, self._fault = direction, limit, fault
        self._moved = 0
        self._sockets: list[socket.socket] = []
        self._is_closed = False
        self._lock = threading.Lock()
        self.reached = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Cut every connection and refuse new ones."""
        self._is_closed = True
        with suppress(OSError):  # wakes the accept(), which a mere close would leave waiting
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._kept(self._listener.accept()[0])
                server = self._kept(socket.create_connection(self._target))
                for source, sink, way in ((client, server, "up"), (server, client, "down")):
                    pump = (source, sink, way == self._direction)
                    threading.Thread(target=self._pump, args=pump, daemon=True).start()

    def _kept(self, sock: socket.socket) -> socket.socket:
        """Let one be cut with the others, or now, where they have been cut meanwhile."""
        with self._lock:
            self._sockets.append(sock)
        if self._is_closed:
            self._cut()
        return sock

    def _pump(self, source: socket.socket, sink: socket.socket, is_counted: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self._is_over(len(data) if is_counted else 0):
                    return
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def _is_over(self, size: int) -> bool:
        with self._lock:
            self._moved += size
            is_first = self._moved > self._limit and not self.reached.is_set()
            if is_first:
                self.reached.set()
        if is_first and self._fault == "vanish":
            self.close()
        if is_first and self._fault == "drop":
            self._cut()
        return self.reached.is_set() and (is_first or self._fault != "drop")

    def _cut(self) -> None:
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for sock in sockets:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()


@contextmanager
def faulty_proxy(
    target: str, *, direction: Literal["up", "down"], limit: int, fault: Fault
) -> Iterator[FaultyProxy]:
    """Run a proxy for one test."""
    proxy = FaultyProxy(target, direction=direction, limit=limit, fault=fault)
    try:
        yield proxy
    finally:
        proxy.close()
