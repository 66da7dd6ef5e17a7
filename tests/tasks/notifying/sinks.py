"""What receives notifications: an HTTP server and an SMTP server on loopback, and a wire-tap.

Slack, DingTalk, WeCom and Feishu have fixed hosts: the tap answers in their place and keeps what
would have gone to them.
"""

import json
import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter


@dataclass
class Sink:
    """Where it is, and what has arrived."""

    address: str = ""
    arrived: list[Any] = field(default_factory=list)


@contextmanager
def http_sink(status: int = 200, *, pause_s: float = 0) -> Iterator[Sink]:
    """Receive JSON by HTTP, and answer after a pause."""
    sink = Sink()

    class Receive(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            sink.arrived.append(json.loads(body))
            time.sleep(pause_s)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receive) as server:
        sink.address = f"127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever).start()
        try:
            yield sink
        finally:
            server.shutdown()


@contextmanager
def endless_sink(*, start: bytes, piece: bytes, pause_s: float) -> Iterator[Sink]:
    """Answer whoever comes with a start, and then piece after piece until they leave."""
    sink = Sink()

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            sink.arrived.append(self.request.recv(1 << 16))
            with suppress(OSError):
                self.request.sendall(start)
                while True:
                    self.request.sendall(piece)
                    time.sleep(pause_s)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        sink.address = f"127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever).start()
        try:
            yield sink
        finally:
            server.shutdown()


@contextmanager
def smtp_sink() -> Iterator[Sink]:
    """Receive mail: as much of SMTP as a client needs."""
    sink = Sink()

    class Receive(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 sink")
            while line := self.rfile.readline():
                word = line[:4].upper().strip()
                if word == b"DATA":
                    self._say("354 go on")
                    lines = iter(self.rfile.readline, b".\r\n")
                    sink.arrived.append(message_from_bytes(b"".join(lines), policy=policy.default))
                self._say("221 bye" if word == b"QUIT" else "250 ok")
                if word == b"QUIT":
                    return

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Receive) as server:
        sink.address = f"127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever).start()
        try:
            yield sink
        finally:
            server.shutdown()


def tap_https(
    monkeypatch: pytest.MonkeyPatch, *, status: int = 200, error: Exception | None = None
) -> Sink:
    """Answer every HTTPS request in the place of its host; what was sent is kept."""
    sink = Sink()

    def send(_: HTTPAdapter, request: requests.PreparedRequest, **__: Any) -> requests.Response:
        if error is not None:
            raise error
        sink.arrived.append((request.url, json.loads(_text(request.body))))
        response = requests.Response()
        response.status_code = status
        response.request, response.url = request, str(request.url)
        # All four in one: each reads its own field.
        response._content = b'{"ok": true, "errcode": 0, "code": 0, "StatusCode": 0}'
        if "hooks.slack.com" in str(request.url):
            response._content = b"ok"
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return sink


def _text(body: object) -> str:
    return body.decode() if isinstance(body, bytes) else str(body)
