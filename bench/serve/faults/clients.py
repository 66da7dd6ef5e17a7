"""Clients that are slow, greedy, hostile or in a hurry."""

import base64
import json
import pickle
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.serve.faults.target import Target
from bench.serve.raw_client import RawClient, describe, drip, post

MEGABYTE: Final = 10**6
JSON: Final = "application/json"
MANY: Final = 40
"""Requests at once: more than may wait."""
CROPS: Final = 128
"""In each of them."""
DRIP_S: Final = 0.1


def fill_queue(target: Target) -> str:
    """Ask more at once than may wait, and see what each gets."""
    body = _many_crops(target)
    head = post(length=len(body), kind=JSON, Authorization=f"Bearer {target.key}")
    with ExitStack() as stack:
        clients = [stack.enter_context(RawClient(target.gateway.port)) for _ in range(MANY)]
        for client in clients:
            client.send(head, body)
        return " | ".join(sorted({describe(client.receive()) for client in clients}))


def drip_headers(target: Target) -> str:
    """Send a header every tenth of a second, and no end."""
    with RawClient(target.gateway.port) as client:
        client.send(b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        client.send_until_ended(drip(b"x-more: 1\r\n"), pause_s=DRIP_S)
        return describe(client.receive())


def send_half(target: Target) -> str:
    """Send half of a body, and wait."""
    image = target.image
    return describe(target.ask(image[: len(image) // 2], length=len(image)))


def send_megabytes(megabytes: int, target: Target) -> str:
    """Send a body that is too large."""
    return describe(target.ask(*[bytes(MEGABYTE)] * megabytes, length=megabytes * MEGABYTE))


def send_pickle(target: Target) -> str:
    """Send Paddle Serving's dialect a tensor that is a pickle, as Paddle Serving's own takes it."""
    trace = target.gateway.home / "unpickled"
    content = base64.b64encode(pickle.dumps(_Touch(trace))).decode()
    tensor = {"name": "x", "elem_type": 13, "shape": [1], "data": content}
    body = json.dumps({"key": [], "value": [], "tensors": [tensor]}).encode()
    path = f"/{target.served.name}/prediction"
    reply = target.ask(body, length=len(body), path=path, kind=JSON)
    if reply is None:
        return describe(reply)
    told = f"{reply.status} err_no {json.loads(reply.body)['err_no']}"
    return f"{told}, and it was loaded" if trace.exists() else told


def show_bad_key(target: Target) -> str:
    """Ask with a key that nobody was given."""
    image = target.image
    return describe(target.ask(image, length=len(image), Authorization="Bearer ocr_of-nobody"))


def be_in_a_hurry(target: Target) -> str:
    """Give the gateway a millisecond for many crops."""
    body = _many_crops(target)
    return describe(target.ask(body, length=len(body), kind=JSON, X_Request_Timeout="0.001"))


def _many_crops(target: Target) -> bytes:
    return json.dumps({"images": [base64.b64encode(target.image).decode()] * CROPS}).encode()


class _Touch:
    """Makes a file where it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)
