"""A client that speaks HTTP over a bare socket, as slowly and as greedily as one wants."""

import contextlib
import json
import socket
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

HANG_S = 12
"""No gateway that is tried leaves a client alone for so long; a hang is a failure, not a wait."""


@dataclass(frozen=True)
class Reply:
    """What came back until the gateway ended the connection, or the answer was complete."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        """What the gateway says of a refusal."""
        error: dict[str, Any] = json.loads(self.body)["error"]
        return error


class RawClient:
    """One connection; a context manager that closes it."""

    def __init__(self, port: int, *, receive_buffer: int = 0) -> None:
        self._socket = socket.socket()
        self._behind = b""  # what came with one answer of the next
        if receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.settimeout(HANG_S)
        self._socket.connect(("127.0.0.1", port))

    @property
    def port(self) -> int:
        """The client's own."""
        port: int = self._socket.getsockname()[1]
        return port

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def reset(self) -> None:
        """End the connection as a client that is killed, or a router, does."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def send(self, *pieces: bytes) -> None:
        """Send everything."""
        for piece in pieces:
            self._socket.sendall(piece)

    def send_until_ended(self, pieces: Iterable[bytes], *, pause_s: float = 0.0) -> None:
        """Send piece by piece until none is left or the gateway takes no more."""
        with contextlib.suppress(OSError):
            for piece in pieces:
                self._socket.sendall(piece)
                if pause_s and self._has_reply(pause_s):
                    return

    def receive(self) -> Reply | None:
        """Read one answer; None when the connection ends without one."""
        data = self._behind
        while b"\r\n\r\n" not in data:
            if not (piece := self._read()):
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        length = int(headers["content-length"])
        while len(body) < length:
            body += self._read() or b" " * length
        self._behind = body[length:]
        return Reply(int(status.split()[1]), headers, body[:length])

    def receive_line(self) -> bytes:
        """Read the first line of an answer that has a head and nothing else."""
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            data += self._socket.recv(1)
        return data.partition(b"\r\n")[0]

    def read_to_end(self, *, pause_s: float = 0.0) -> int:
        """Read until the gateway ends the connection; return how many bytes there were."""
        total = 0
        while piece := self._read():
            total += len(piece)
            time.sleep(pause_s)
        return total

    def _read(self) -> bytes:
        try:
            return self._socket.recv(65536)
        except ConnectionError:
            return b""

    def _has_reply(self, pause_s: float) -> bool:
        self._socket.settimeout(pause_s)
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK)) or True
        except TimeoutError:
            return False
        finally:
            self._socket.settimeout(HANG_S)


def describe(reply: Reply | None) -> str:
    """Put a reply in a few words."""
    if reply is None:
        return "ended"
    if reply.status == 200:
        return "200"
    is_ours = reply.headers["content-type"] == "application/json"
    told = f"{reply.status} {reply.error['code'] if is_ours else reply.body[:40].decode()}"
    told += ", retry" * ("retry-after" in reply.headers)
    return told


def post(
    path: str = "/v1/recognize", *, length: int, kind: str = "image/png", **more: str
) -> bytes:
    """Write the head of a POST; keywords are further headers, _ for -."""
    headers = {"Host": "127.0.0.1", "Content-Type": kind, "Content-Length": str(length)}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def drip(piece: bytes, *, seconds: float = HANG_S) -> Iterable[bytes]:
    """Yield a piece again and again, for as long as one may wait."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        yield piece
