import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest

from bench.serve.load_generator.generator import Plan
from bench.serve.load_generator.load import SteadyLoad
from bench.serve.load_generator.question import Question

READS = "2026"
QUESTION = Question("/right", b"image", readings={"v1": ((READS, 0.9),)})


def answer(**others: Any) -> bytes:
    results = [{"text": READS, "confidence": 0.9}]
    return json.dumps({"request_id": "7", "version": "v1", "results": results, **others}).encode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (answer(), ""),
        (answer(results=[{"text": READS, "confidence": 0.9000001}]), ""),
        (answer(results=None, pages=[{"lines": [{"text": READS, "confidence": 0.9}]}]), ""),
        (answer(request_id="8"), "the answer to 8"),
        (answer(version="v2"), "of version v2"),
        (answer(results=[]), "reads () instead of"),
        (answer(results=[{"text": "2027", "confidence": 0.9}]), "reads (('2027', 0.9),) instead"),
        (answer(results=[{"text": READS, "confidence": 0.8}]), "reads (('2026', 0.8),) instead"),
        (b"{}", "no answer: KeyError"),
        (b"oops", "no answer: JSONDecodeError"),
    ],
)
def test_only_the_right_answer_to_this_very_request_is_right(body: bytes, said: str) -> None:
    fault, _ = QUESTION.judge(body, tag="7")

    assert fault.startswith(said)
    assert bool(fault) == bool(said)


class Answers(BaseHTTPRequestHandler):
    """Answers rightly, wrongly, later or not, as the path says."""

    protocol_version = "HTTP/1.1"
    refused: ClassVar[set[str]] = set()

    def do_POST(self) -> None:
        tag = self.headers["X-Request-ID"]
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/none":
            self.close_connection = True
            return
        is_later = self.path == "/later" and tag not in self.refused
        self.refused.add(tag)
        self.send_response({"/failed": 500}.get(self.path, 503 if is_later else 200))
        body = answer(request_id="nobody" if self.path == "/wrong" else tag)
        self.send_header("Content-Length", str(len(body)))
        if is_later:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_load_counts_what_is_wrong_failed_lost_and_told_to_come_again() -> None:
    paths = ("/right", "/wrong", "/failed", "/none", "/later")
    questions = [Question(path, b"image", readings=QUESTION.readings) for path in paths]

    with serving() as port, SteadyLoad(Plan(port, questions, rate=500, connections=4)) as load:
        load.settle()
        load.stop()
        outcomes = load.take()

    told = {(one.failure.partition(" ")[0], one.fault, one.again) for one in outcomes}
    assert told == {
        ("", "", 0),
        ("", "the answer to nobody", 0),
        ("500", "", 0),
        ("ConnectionResetError:", "", 0),
        ("", "", 1),
    }
