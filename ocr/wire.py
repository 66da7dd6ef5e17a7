"""Messages between a process and those that work for it: a JSON object each, and bytes after some.

Nothing is ever unpickled, and what a process says is believed no more than a stranger.
"""

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

_LENGTH: Final = struct.Struct(">I")
MOST_BYTES: Final = 65_536


class WireBroken(ConnectionError):
    """The other side has ended, or says what makes no sense."""


def send(
    connection: socket.socket, message: Mapping[str, Any], content: bytes | memoryview = b""
) -> None:
    """Send a message and the bytes that belong to it."""
    connection.sendall(encode(message))
    if content:
        connection.sendall(content)


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as it is sent."""
    text = json.dumps(message).encode()
    return _LENGTH.pack(len(text)) + text


def receive(connection: socket.socket, *, deadline: float | None = None) -> dict[str, Any]:
    """Receive a message.

    Raises:
        WireBroken: The other side has ended, or this is no message.
        TimeoutError: It is not there at `deadline`, as `time.monotonic` tells it.
    """
    size = _size(receive_bytes(connection, _LENGTH.size, deadline=deadline))
    return _parse(receive_bytes(connection, size, deadline=deadline))


def take_message(received: bytearray) -> dict[str, Any] | None:
    """Take the first message out of what was received; None: it is not there as a whole.

    Raises:
        WireBroken: This is no message.
    """
    if len(received) < _LENGTH.size:
        return None
    end = _LENGTH.size + _size(received)
    if len(received) < end:
        return None
    text = received[_LENGTH.size : end]
    del received[:end]
    return _parse(text)


def receive_bytes(
    connection: socket.socket, size: int, *, deadline: float | None = None
) -> bytearray:
    """Receive as many bytes; raises as `receive` does."""
    content = bytearray(size)
    receive_into(connection, memoryview(content), deadline=deadline)
    return content


def receive_into(
    connection: socket.socket, target: memoryview, *, deadline: float | None = None
) -> None:
    """Fill a buffer; raises as `receive` does."""
    while len(target):
        if deadline is not None:
            connection.settimeout(max(deadline - time.monotonic(), 1e-3))
        count = connection.recv_into(target)
        if not count:
            raise WireBroken("The other side has ended")
        target = target[count:]


def _size(head: bytearray) -> int:
    (size,) = _LENGTH.unpack_from(head)
    if size > MOST_BYTES:
        raise WireBroken(f"A message of {size} bytes, at most {MOST_BYTES} are believed")
    return int(size)


def _parse(text: bytearray) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except ValueError as error:
        raise WireBroken(f"Not a message: {error}") from None
    if not isinstance(message, dict):
        raise WireBroken(f"A message is an object, not {type(message).__name__}")
    return message
