"""A gateway of canned answers: what a deployment may meet, without a model that misbehaves."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal

from ocr.models.registry import Registry
from tests.serving.tiny_bundle import GOLDEN, LETTERS, reading

Behaviour = Literal["proves", "refuses", "lies", "dies", "is slow"]


@dataclass(frozen=True)
class Stub:
    """Follows the champion of `bars`, whose `candidate` it treats as `behaviour` says."""

    registry: Registry
    candidate: str
    behaviour: Behaviour
    on_promotion: Callable[[], object]

    def models(self) -> dict[str, Any] | None:
        """Return what /v1/models says; None: the gateway is gone."""
        champion = self.registry.champion("bars")
        if champion is None or champion.version != self.candidate:
            return {"models": []}
        self.on_promotion()
        if self.behaviour == "dies":
            return None
        serves = self.behaviour in ("proves", "lies")
        model = {
            "name": "bars",
            "version": self.candidate if serves else "old",
            "champion": self.candidate,
            "is_refused": self.behaviour == "refuses",
        }
        return {"models": [model]}

    def texts(self) -> dict[str, Any]:
        """Return what the golden images read, or something else."""
        said = [reading(digits, LETTERS) for digits in GOLDEN]
        texts = said if self.behaviour == "proves" else ["?"] * len(said)
        return {"version": self.candidate, "results": [{"text": text} for text in texts]}


@contextmanager
def stub_gateway(
    registry: Registry,
    candidate: str,
    behaviour: Behaviour,
    *,
    on_promotion: Callable[[], object] = lambda: None,
) -> Iterator[str]:
    """Answer on a free port; yields the address."""
    stub = Stub(registry, candidate, behaviour, on_promotion)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(stub.models())

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self._say(stub.texts())

        def _say(self, answer: dict[str, Any] | None) -> None:
            self.send_response(200 if answer else 502)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
