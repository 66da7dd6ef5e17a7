"""Both ways to `POST /v1/recognize`: what comes whole and what comes late has the same answer."""

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.serve.raw_client import RawClient, Reply, post
from serving.access.access_log import AccessLog
from serving.access.callers import Callers
from serving.access.key_file import add_key
from serving.metrics import ServingMetrics
from serving.models.model_pool import ModelPool
from serving.rest.budget import Budget
from serving.rest.capacity import Capacity
from serving.rest.crops import CropReader
from serving.rest.edge import Entrance
from serving.rest.fast_path import FastPath
from serving.rest.http.whole_request import SOON_S
from serving.rest.inbox import Inbox
from serving.rest.refusals import Refusals
from tests.serving.conftest import make_shelf
from tests.serving.gateway import Gateway, running_gateway, wait_until
from tests.serving.models.test_model_pool import make_live
from tests.serving.rest.test_capacity import LIMITS, HeldCrew
from tests.serving.tiny_bundle import DIGITS, png

GOOD = png("2026")
PICTURE = base64.b64encode(GOOD).decode()
LATE_S = 3 * SOON_S
JSON = "application/json"
FORM = "multipart/form-data; boundary=x"
PART = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n%b\r\n--x--\r\n'
BOTH = json.dumps({"images": [PICTURE, "AAAA", PICTURE]}).encode()
VARYING = ("date", "connection")
"""Headers: a connection is closed where a refusal is faster than the body."""

CASES: dict[str, tuple[str, str, bytes, dict[str, str]]] = {
    "a file": ("", "image/png", GOOD, {}),
    "a form": ("", FORM, PART % GOOD, {}),
    "JSON": ("", JSON, json.dumps({"image": PICTURE}).encode(), {}),
    "several": ("?partial=true", JSON, BOTH, {}),
    "several, one bad": ("", JSON, BOTH, {}),
    "a named model": ("?model=bars", "image/png", GOOD, {}),
    "no image": ("", "image/png", b"junk", {}),
    "too many pixels": ("", "image/png", png("1" * 500), {}),
    "nothing": ("", "image/png", b"", {}),
    "a damaged form": ("", FORM, b"--x\r\n", {}),
    "no JSON": ("", JSON, b"{", {}),
    "too many images": ("", JSON, json.dumps({"images": [PICTURE] * 5}).encode(), {}),
    "another type": ("", "text/xml", GOOD, {}),
    "another option": ("?partial=perhaps", "image/png", GOOD, {}),
    "an unknown model": ("?model=others", "image/png", GOOD, {}),
    "a model of others": ("?model=bars", "image/png", GOOD, {"Authorization": "few"}),
    "no key": ("", "image/png", GOOD, {"Authorization": ""}),
    "a wrong key": ("", "image/png", GOOD, {"Authorization": "Bearer ocr_1"}),
    "another site": ("", "image/png", GOOD, {"Sec-Fetch-Site": "cross-site"}),
    "another name": ("", "image/png", GOOD, {"Host": "elsewhere"}),
    "coded, which only the route refuses": ("", "image/png", GOOD, {"Content-Encoding": "gzip"}),
}


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Gateway, dict[str, str]]]:
    """A gateway with two keys, and what each sends."""
    folder = tmp_path_factory.mktemp("fast")
    shelf = make_shelf(folder)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    keys = folder / "keys.json"
    sent = {
        "all": f"Bearer {add_key(keys, name='all')}",
        "few": f"Bearer {add_key(keys, name='few', models=('others',))}",
    }
    settings = {
        "OCRLINE_KEYS": str(keys),
        "OCRLINE_ACCESS_LOG": str(folder / "access.jsonl"),
        "OCRLINE_MAX_IMAGES": "4",
        "OCRLINE_MAX_PIXELS": "100000",
    }
    with running_gateway(folder / "g", store=shelf.store, **settings) as gateway:
        gateway.wait_ready()
        yield gateway, sent


@pytest.mark.parametrize("case", CASES)
def test_both_ways_answer_the_same(keyed: tuple[Gateway, dict[str, str]], case: str) -> None:
    gateway, keys = keyed
    query, kind, body, more = CASES[case]
    given = {"Authorization": "all", "X-Request-Id": "one", **more}
    headers = {**given, "Authorization": keys.get(given["Authorization"], given["Authorization"])}
    headers = {name: value for name, value in headers.items() if value}

    fast = ask(gateway, query, kind, body, headers, late_s=0.0)
    slow = ask(gateway, query, kind, body, headers, late_s=LATE_S)

    assert plain(fast) == plain(slow)
    assert fast.headers["x-request-id"] == "one"


def test_both_ways_are_written_down_alike(keyed: tuple[Gateway, dict[str, str]]) -> None:
    gateway, keys = keyed
    log = Path(gateway.log.parent.parent / "access.jsonl")
    headers = {"Authorization": keys["all"]}

    for name, late_s in (("fast", 0.0), ("slow", LATE_S)):
        named = {**headers, "X-Request-Id": name}
        ask(gateway, "", "image/png", GOOD, named, late_s=late_s)

    wait_until(lambda: '"slow"' in log.read_text(), log=gateway.log)
    lines = {line["request_id"]: line for line in map(json.loads, log.read_text().splitlines())}
    fast, slow = (
        {**lines[name], "time": 0, "seconds": 0, "request_id": 0} for name in ("fast", "slow")
    )
    assert fast == slow
    assert (fast["route"], fast["status"], fast["items"]) == ("/v1/recognize", 200, 1)
    assert (fast["received"], fast["caller"]) == (len(GOOD), "all")


def ask(
    gateway: Gateway, query: str, kind: str, body: bytes, headers: dict[str, str], *, late_s: float
) -> Reply:
    """Send a request at once, or its body later than its head."""
    host = headers.get("Host")
    others = {name: value for name, value in headers.items() if name != "Host"}
    head = post(f"/v1/recognize{query}", length=len(body), kind=kind, **others)
    if host:
        head = head.replace(b"Host: 127.0.0.1", f"Host: {host}".encode())
    with RawClient(gateway.port) as client:
        if late_s:
            client.send(head)
            time.sleep(late_s)
            client.send_until_ended([body])
        else:
            client.send(head + body)
        reply = client.receive()
        assert reply is not None
        return reply


def plain(reply: Reply) -> Reply:
    kept = {name: value for name, value in reply.headers.items() if name not in VARYING}
    return replace(reply, headers=kept)


class HeldPath:
    """Where a fast path is, and what of it."""

    def __init__(self, folder: Path, *, timeout_s: float = 30.0) -> None:
        self.metrics = ServingMetrics()
        pool = ModelPool(named=(), metrics=self.metrics)
        pool.expect("bars", "v1")
        pool.swap(make_live(folder, "v1", DIGITS))
        limits = replace(LIMITS, pages_timeout_s=timeout_s)
        capacity = Capacity(1, limits="settings", in_flight=self.metrics.in_flight)
        bodies = Budget(10**6, unit="bytes", held=self.metrics.body_bytes)
        callers = Callers(token="", keys=Path("/none"))
        self.crew = HeldCrew(self.metrics)
        self.log = folder / "access.jsonl"
        log = AccessLog(str(self.log))
        self.path = FastPath(
            pool,
            entrance=Entrance(callers=callers, names=(), log=log, metrics=self.metrics),
            inbox=Inbox(limits=limits, budget=bodies),
            reader=CropReader(self.crew, capacity, limits, self.metrics),
            refusals=Refusals(),
        )
        self.answers: list[tuple[int, dict[str, object]]] = []

    def ask(self) -> Callable[[], None]:
        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"image/png")]
        scope = {"type": "http", "method": "POST", "path": "/v1/recognize", "query_string": b""}

        def keep(status: int, _: bytes, body: bytes) -> None:
            self.answers.append((status, json.loads(body)))

        return self.path.answer({**scope, "headers": headers}, GOOD, keep)

    def holds(self) -> list[str]:
        """Return what requests hold of bodies and places."""
        lines = self.metrics.render().decode().splitlines()
        named = ("ocrline_body_bytes ", "ocrline_requests_in_flight ")
        return [line.split()[1] for line in lines if line.startswith(named)]

    def written(self) -> list[tuple[int, str]]:
        lines = map(json.loads, self.log.read_text().splitlines())
        return [(line["status"], line["code"]) for line in lines]


@pytest.mark.parametrize(
    ("end", "said", "written"),
    [
        ("read", [200], (200, "")),
        ("left", [], (499, "")),
        ("stopped", [503], (503, "not_ready")),
        ("late", [504], (504, "expired")),
        ("failed", [500], (500, "internal")),
    ],
)
def test_what_a_request_took_is_given_back_however_it_ends(
    tmp_path: Path, end: str, said: list[int], written: tuple[int, str]
) -> None:
    held = HeldPath(tmp_path, timeout_s=0.05 if end == "late" else 30)

    async def run() -> list[str]:
        leave = held.ask()
        taken = held.holds()
        if end == "read":
            held.crew.release()
        elif end == "left":
            leave()
        elif end == "stopped":
            held.path.close()
        elif end == "failed":
            held.crew.held[0].answer(0, {"text": "and no confidence"})
        while not held.log.read_text():
            await asyncio.sleep(0.01)
        leave()  # what is over already is so once
        return taken

    assert set(asyncio.run(run())) == {str(float(len(GOOD))), "1.0"}
    assert [status for status, _ in held.answers] == said
    assert held.written() == [written]
    assert held.holds() == ["0.0", "0.0"]


def test_a_request_too_many_is_refused_and_holds_nothing(tmp_path: Path) -> None:
    held = HeldPath(tmp_path)

    async def run() -> None:
        held.ask()
        held.ask()
        held.crew.release()
        while len(held.answers) < 2:
            await asyncio.sleep(0.01)

    asyncio.run(run())

    assert [status for status, _ in held.answers] == [503, 200]
    assert held.holds() == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("length", "is_taken"),
    [
        (b"0", True),
        (b"65535", True),
        (b"065535", True),
        (b"65536", False),
        (b"000065535", False),
        (b"0" * 19 + b"100000", False),
        (b"1" + b"0" * 19, False),
        (b"", False),
    ],
)
def test_only_a_small_body_of_a_plain_length_is_waited_for(
    tmp_path: Path, length: bytes, is_taken: bool
) -> None:
    scope = {"method": "POST", "path": "/v1/recognize", "headers": [(b"content-length", length)]}

    assert HeldPath(tmp_path).path.takes(scope) is is_taken
