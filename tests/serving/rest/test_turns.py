"""Who waits for whom: crops for no page, a page for no whole document, nobody for who has left."""

import json
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from ocr.image.pixels import encode_png
from tests.ocr.image.documents import image_pdf, joined_pdf
from tests.serving.conftest import serving_pages
from tests.serving.decoding.hostile_files import pdf_of_pattern
from tests.serving.gateway import Gateway, wait_until
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page, long_document

RAW = {"content-type": "application/octet-stream"}
MANY = 200
SHORT = encode_png(draw_page(["7"]))
READ = 'ocrline_pages_total{model="pages"}'
INSIDE = "ocrline_requests_in_flight"
ONE_AT_A_TIME = {"OCRLINE_CONCURRENCY": "1", "OCRLINE_MAX_PAGES": str(MANY)}

ENDLESS = {"OCRLINE_DRAIN_S": "1", "OCRLINE_DECODE_TIMEOUT_S": "600", **ONE_AT_A_TIME}


@pytest.fixture(scope="module")
def narrow_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway that reads one page at a time."""
    folder = tmp_path_factory.mktemp("turns")
    with serving_pages(folder, OCRLINE_DECODE_TIMEOUT_S="4", **ONE_AT_A_TIME) as running:
        yield running


@contextmanager
def asked(gateway: Gateway, content: bytes, query: str = "") -> Iterator[Future[httpx.Response]]:
    """Post a document from another thread."""

    def ask() -> httpx.Response:
        with httpx.Client(base_url=gateway.url, timeout=120, trust_env=False) as http:
            return http.post(f"/v1/ocr{query}", content=content, headers=RAW)

    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(ask)


def wait_for(gateway: Gateway, is_so: Callable[[], bool]) -> None:
    wait_until(is_so, log=gateway.log)


def test_crops_wait_for_no_page(narrow_gateway: Gateway) -> None:
    with asked(narrow_gateway, pdf_of_pattern()) as slow:
        wait_for(narrow_gateway, lambda: narrow_gateway.metric(INSIDE) == 1)

        texts = [narrow_gateway.read(png("42"), model="bars")[0] for _ in range(9)]

        assert not slow.done()
        assert texts == ["42"] * 9
        assert slow.result().json()["error"]["code"] == "too_slow"


def test_short_document_waits_for_pages_of_a_long_one_but_not_for_all(
    narrow_gateway: Gateway,
) -> None:
    before = narrow_gateway.metric(READ)
    with asked(narrow_gateway, long_document(MANY)) as long:
        wait_for(narrow_gateway, lambda: narrow_gateway.metric(READ) > before)

        short = narrow_gateway.post("/v1/ocr", content=SHORT, headers=RAW)

        assert not long.done()
        assert short.json()["text"] == "7"
        assert len(long.result().json()["pages"]) == MANY


def test_pages_of_a_client_that_has_left_are_not_read(narrow_gateway: Gateway) -> None:
    before = narrow_gateway.metric(READ)
    long = long_document(MANY)
    head = f"POST /v1/ocr HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(long)}\r\n"
    with socket.create_connection(("127.0.0.1", narrow_gateway.port)) as client:
        client.sendall(f"{head}Content-Type: image/tiff\r\n\r\n".encode() + long)
        wait_for(narrow_gateway, lambda: narrow_gateway.metric(READ) > before)

    wait_for(narrow_gateway, lambda: narrow_gateway.metric(INSIDE) == 0)

    assert narrow_gateway.metric(READ) - before < MANY


def test_document_that_is_not_read_in_time_is_given_up(tmp_path: Path) -> None:
    with serving_pages(tmp_path, OCRLINE_PAGES_TIMEOUT_S="0.05", **ONE_AT_A_TIME) as gateway:
        reply = gateway.post("/v1/ocr", content=long_document(MANY), headers=RAW)
        wait_for(gateway, lambda: gateway.metric(INSIDE) == 0)

        assert (reply.status_code, reply.json()["error"]["code"]) == (504, "expired")
        assert (
            "within 0.05 s, OCRLINE_PAGES_TIMEOUT_S here; ask" in reply.json()["error"]["message"]
        )
        assert gateway.metric(READ) < MANY


def test_gateway_that_may_finish_nothing_stops_in_the_middle_of_a_document(tmp_path: Path) -> None:
    with (
        serving_pages(tmp_path, **ENDLESS) as gateway,
        asked(gateway, pdf_of_pattern()) as slow,
    ):
        wait_for(gateway, lambda: gateway.metric(INSIDE) == 1)
        gateway.process.send_signal(signal.SIGTERM)

        gateway.process.wait(timeout=60)  # a hang would be ten minutes

        assert (slow.result().status_code, slow.result().json()["error"]["code"]) == (
            503,
            "not_ready",
        )
        assert "Traceback" not in gateway.log.read_text()


def test_answer_in_lines_that_a_stop_cuts_off_ends_with_its_error(tmp_path: Path) -> None:
    document = joined_pdf([image_pdf([draw_page(["7"])], dpi=200), pdf_of_pattern()])
    with (
        serving_pages(tmp_path, OCRLINE_ACCESS_LOG="-", **ENDLESS) as gateway,
        asked(gateway, document, "?format=ndjson") as slow,
    ):
        wait_for(gateway, lambda: gateway.metric(READ) == 1)
        gateway.process.send_signal(signal.SIGTERM)

        read, error = map(json.loads, slow.result().iter_lines())

        gateway.process.wait(timeout=60)
        assert read["page"] == 1
        assert error["error"]["code"] == "not_ready"
        log = gateway.log.read_text()
        assert '"status": 200, "code": "not_ready"' in log
        assert "Traceback" not in log
