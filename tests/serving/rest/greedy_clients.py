"""What greedy, slow and foreign clients get: ``python -m tests.serving.rest.greedy_clients``.

Each is tried on a gateway with small limits; the table says how long it took, and how far the
gateway's memory rose meanwhile.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from bench.serve.raw_client import RawClient, describe, drip, post
from serving.rest.http.connection import FRESH_S, MOST_AHEAD
from tests.serving.conftest import make_shelf
from tests.serving.decoding.hostile_files import transparent_png
from tests.serving.gateway import Gateway, running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, png

MEGABYTE = 10**6
GET = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n"
OPENAPI = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer hush\r\n\r\n"
SLOWLY = 200
GOOD = png("2026")
SLOW_BODIES = 34
MOST_CONNECTIONS = 60
LIMITS = {
    "OCRLINE_MAX_BODY_MB": "1",
    "OCRLINE_BODIES_MB": "2",
    "OCRLINE_MAX_CONNECTIONS": str(MOST_CONNECTIONS),
    "OCRLINE_HEADER_TIMEOUT_S": "1",
    "OCRLINE_SEND_TIMEOUT_S": "1",
    "OCRLINE_TOKEN": "hush",
    "OCRLINE_BODY_TIMEOUT_S": "7",
}
TOKEN = {"Authorization": "Bearer hush"}

TRANSPARENT = "a transparent PNG of 20 megapixels"
LARGE = cache(lambda: transparent_png(4472))
MOST_GROWTH_MB = {TRANSPARENT: 220}
"""Others: the bodies that may be inside (2 MB), and what sockets and Python take."""

Try = Callable[[Gateway], str]


def sending(*pieces: bytes) -> Try:
    """Send everything at once."""
    return lambda gateway: _try(gateway, lambda client: client.send_until_ended(pieces))


def dripping(start: bytes, piece: bytes, *, pause_s: float = 0.1) -> Try:
    """Send a start, and then a piece every tenth of a second."""

    def send(client: RawClient) -> None:
        client.send(*[start] * bool(start))
        client.send_until_ended(drip(piece), pause_s=pause_s)

    return lambda gateway: _try(gateway, send)


def slow_bodies(gateway: Gateway) -> str:
    """Ask for a reading while many bodies stay incomplete."""
    with ExitStack() as stack:
        for _ in range(SLOW_BODIES):
            client = stack.enter_context(RawClient(gateway.port))
            client.send(post(length=len(GOOD), **TOKEN), GOOD[:10])
        return ask(gateway)


def too_many_connections(gateway: Gateway) -> str:
    """Open more connections than there may be, and ask on the last."""
    with ExitStack() as stack:
        clients = [
            stack.enter_context(RawClient(gateway.port)) for _ in range(MOST_CONNECTIONS + 10)
        ]
        ports = {client.port for client in clients}
        clients[-1].send_until_ended([GET, b"\r\n"])
        told = describe(clients[-1].receive())
    wait_until(lambda: ports.isdisjoint(_clients_of(gateway)), log=gateway.log)
    return told


def idle_connections(gateway: Gateway) -> str:
    """Hold more connections than there may be, longer than a moment, and ask on another."""
    with ExitStack() as stack:
        idle = [stack.enter_context(RawClient(gateway.port)) for _ in range(MOST_CONNECTIONS)]
        for client in idle:
            client.send(GET, b"Authorization: Bearer hush\r\n\r\n")
        told = {describe(client.receive()) for client in idle}
        time.sleep(FRESH_S + 0.1)
        return " | ".join(sorted(told | {ask(gateway)}))


def too_many_bytes(gateway: Gateway) -> str:
    """Send half of each of many bodies, more together than the budget has, and go on with one."""
    half = b"\0" * (MEGABYTE // 2)
    with ExitStack() as stack:
        clients = [stack.enter_context(RawClient(gateway.port)) for _ in range(8)]
        for client in clients:
            client.send(post(length=MEGABYTE, **TOKEN))
            client.send_until_ended([half])
        replies = [client.receive() for client in clients]
    refused = sorted({describe(reply) for reply in replies})
    return " | ".join(refused)


def stalled_reader(gateway: Gateway) -> str:
    """Ask for a few megabytes at once, and take nothing of them."""
    with RawClient(gateway.port, receive_buffer=4096) as client:
        client.send(OPENAPI * MOST_AHEAD)
        wait_until(lambda: client.port in _clients_of(gateway), log=gateway.log)
        wait_until(lambda: client.port not in _clients_of(gateway), log=gateway.log)
        received = client.read_to_end()
    one = len(gateway.get("/openapi.json", headers=TOKEN).content)
    return f"ended after {'all' if received > MOST_AHEAD * one else 'a part'}"


def slow_reader(gateway: Gateway) -> str:
    """Take a few megabytes in more time than one may take nothing in."""
    with RawClient(gateway.port, receive_buffer=4096) as client:
        client.send(OPENAPI * (SLOWLY - 1), OPENAPI.replace(b"Host", b"Connection: close\r\nHost"))
        started = time.monotonic()
        received = client.read_to_end(pause_s=0.004)
        is_slow = time.monotonic() - started > float(LIMITS["OCRLINE_SEND_TIMEOUT_S"])
    one = len(gateway.get("/openapi.json", headers=TOKEN).content)
    return "all, slowly" if is_slow and received > SLOWLY * one else "a part"


CASES: dict[str, tuple[Try, str]] = {
    "20 MB of headers": (
        sending(GET, b"".join(b"x-%07d: %s\r\n" % (n, b"a" * 87) for n in range(200_000)), b"\r\n"),
        "431 headers_too_large",
    ),
    "a header of 20 MB": (
        sending(GET, b"x-large: ", b"a" * 20 * MEGABYTE, b"\r\n\r\n"),
        "431 headers_too_large",
    ),
    "a URL of 10 MB": (
        sending(b"GET /", b"a" * 10 * MEGABYTE, b" HTTP/1.1\r\n\r\n"),
        "414 url_too_long",
    ),
    "20 MB of trailers": (
        sending(
            post(length=0, **TOKEN).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked"),
            b"1\r\na\r\n0\r\n",
            b"x-trailer: " + b"a" * 20 * MEGABYTE,
        ),
        "431 headers_too_large",
    ),
    "chunks of no size": (
        sending(
            post(length=0, **TOKEN).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked"),
            b"1\r\na\r\nzz\r\n",
        ),
        "400 bad_request",
    ),
    "headers that never end": (dripping(GET, b"x-more: 1\r\n"), "408 headers_timeout"),
    "empty lines that never end": (dripping(b"", b"\r\n"), "ended"),
    "a connection that says nothing": (sending(), "ended"),
    "a body of a byte at a time": (
        dripping(post(length=MEGABYTE, **TOKEN), b"a"),
        "408 body_timeout",
    ),
    "a large body without the token": (
        sending(post(length=20 * MEGABYTE), b"a" * 20 * MEGABYTE),
        "401 unauthorized, closed",
    ),
    "a body in crumbs": (
        sending(
            post(length=0, **TOKEN).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked"),
            b"1\r\na\r\n" * 150_000,
            b"0\r\n\r\n",
        ),
        "ended",
    ),
    "a slow body without the token": (
        dripping(post(length=MEGABYTE), b"a"),
        "401 unauthorized, closed",
    ),
    "a name that leads here": (
        sending(GET.replace(b"127.0.0.1", b"evil.example"), b"\r\n"),
        "421 unknown_host",
    ),
    "a form of another site": (
        sending(post(length=len(GOOD), **TOKEN, Sec_Fetch_Site="cross-site"), GOOD),
        "403 cross_site",
    ),
    TRANSPARENT: (
        lambda gateway: sending(post(length=len(LARGE()), **TOKEN), LARGE())(gateway),
        "200",
    ),
    f"{SLOW_BODIES} slow bodies, and a good one": (slow_bodies, "200"),
    f"{MOST_CONNECTIONS + 10} connections": (
        too_many_connections,
        "503 too_many_connections, retry",
    ),
    f"{MOST_CONNECTIONS} idle connections, and a good request": (idle_connections, "200"),
    "bodies of 4 MB together, held back": (too_many_bytes, "408 body_timeout | 503 busy, retry"),
    "an answer that is not read": (stalled_reader, "ended after a part"),
    "an answer that is read slowly": (slow_reader, "all, slowly"),
}


def ask(gateway: Gateway) -> str:
    """Have a good image read."""
    with RawClient(gateway.port) as client:
        client.send(post(length=len(GOOD), **TOKEN), GOOD)
        return describe(client.receive())


def _tell(attempt: Try, gateway: Gateway) -> str:
    try:
        return attempt(gateway)
    except TimeoutError:
        return "nothing"


def _try(gateway: Gateway, send: Callable[[RawClient], None]) -> str:
    with RawClient(gateway.port) as client:
        send(client)
        told = describe(client.receive())
        if told.startswith("401"):
            client.read_to_end()
            told += ", closed"
        return told


def _clients_of(gateway: Gateway) -> set[int]:
    """Return the ports of the clients that the gateway is connected with."""
    connections = psutil.Process(gateway.process.pid).net_connections("tcp")
    return {connection.raddr.port for connection in connections if connection.raddr}


@contextmanager
def careful_gateway(folder: Path) -> Iterator[Gateway]:
    """Run a gateway with small limits that reads digits."""
    shelf = make_shelf(folder)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    with running_gateway(shelf.folder / "home", store=shelf.store, **LIMITS) as gateway:
        wait_until(lambda: ask(gateway) == "200", log=gateway.log)
        yield gateway


def main() -> None:
    """Print the table; exit 1 when an answer is not the expected one."""
    table = Table("client", "got", "s", "MB before", "MB peak", title="greedy and foreign clients")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder, careful_gateway(Path(folder)) as gateway:
        for case, (attempt, expected) in CASES.items():
            gateway.forget_peak()
            before_mb, started = gateway.peak_mb(), time.monotonic()
            got = _tell(attempt, gateway)
            seconds = time.monotonic() - started
            row = (f"{seconds:.1f}", f"{before_mb:.0f}", f"{gateway.peak_mb():.0f}")
            table.add_row(case, got, *row)
            outcomes.append(got == expected)
    console = Console(width=150, markup=False)
    console.print(table)
    console.print(f"{sum(outcomes)} of {len(outcomes)} as expected")
    raise SystemExit(not all(outcomes))


if __name__ == "__main__":
    main()
