"""Takes what is sent to a webhook on loopback, and keeps it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Sink(ThreadingHTTPServer):
    """A webhook; ``messages`` has what it was sent, oldest first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Webhook)
        self.messages: list[dict[str, Any]] = []

    @property
    def address(self) -> str:
        """Where it takes messages, as apprise writes it."""
        return f"json://127.0.0.1:{self.server_port}/"


class _Webhook(BaseHTTPRequestHandler):
    server: Sink

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        self.server.messages.append(json.loads(self.rfile.read(size)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Be quiet."""


@contextmanager
def running_sink() -> Iterator[Sink]:
    """Run one."""
    with Sink() as sink:
        thread = threading.Thread(target=sink.serve_forever, daemon=True)
        thread.start()
        yield sink
        sink.shutdown()
        thread.join()
