"""Damaged images, PDFs and requests: the gateway answers each, and goes on reading good ones."""

import base64
import io
import json
import socket
from collections.abc import Iterator
from typing import Final

import cv2
import httpx
import numpy as np
import PIL.Image
import pytest
from hypothesis import given

from ocr.image.pixels import encode_png
from serving.problems import STATUS
from tests.mutations.edits import damaged
from tests.ocr.image.documents import image_pdf, make_pdf, tiff
from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway
from tests.serving.tiny_pipeline import draw_page

TEXTS: Final = ["2026", "31415"]
PAGE: Final = draw_page(TEXTS)
PNG: Final = encode_png(PAGE)
LIMITS: Final = {"OCRLINE_BODY_TIMEOUT_S": "1", "OCRLINE_HEADER_TIMEOUT_S": "0.1"}
WAIT_S: Final = 60
"""A hang, not a slow machine."""


def _saved(kind: str, mode: str = "RGB", **options: object) -> bytes:
    file = io.BytesIO()
    PIL.Image.fromarray(np.ascontiguousarray(PAGE[..., ::-1])).convert(mode).save(
        file, kind, **options
    )
    return file.getvalue()


IMAGES: Final = [
    PNG,
    cv2.imencode(".jpg", PAGE)[1].tobytes(),
    _saved("JPEG", progressive=True),
    _saved("JPEG", mode="CMYK"),
    _saved("PNG", mode="RGBA"),
    _saved("PNG", mode="P"),
    _saved("WEBP"),
    _saved("GIF"),
    _saved("BMP"),
    tiff([PAGE, PAGE]),
    _saved("TIFF", compression="jpeg"),
    _saved("TIFF", compression="tiff_lzw"),
    _saved("PPM"),
]
DRAWING: Final = "0 0 100 100 re f 1 0 0 RG 10 10 m 200 200 l S BT ET q 1 0 0 1 5 5 cm Q"
PDFS: Final = [make_pdf(drawing=DRAWING), make_pdf(pages=3), image_pdf([PAGE], dpi=200)]
BOUNDARY: Final = b"frontier"


def _request(path: str, kind: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _multipart() -> bytes:
    head = b'Content-Disposition: form-data; name="document"; filename="p.png"\r\n\r\n'
    return b"--" + BOUNDARY + b"\r\n" + head + PNG + b"\r\n--" + BOUNDARY + b"--\r\n"


def _base64(**more: object) -> bytes:
    return json.dumps({"document": base64.b64encode(PNG).decode(), **more}).encode()


REQUESTS: Final = [
    _request("/v1/ocr?pages=1&model=pages", "image/png", PNG),
    _request("/v1/ocr", f"multipart/form-data; boundary={BOUNDARY.decode()}", _multipart()),
    _request("/v1/ocr", "application/json", _base64(pages="1")),
    _request("/v1/recognize?model=bars", "image/png", encode_png(PAGE[24:56, 32:160])),
    b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n",
]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with serving_pages(tmp_path_factory.mktemp("mutations"), **LIMITS) as running:
        yield running
        assert running.process.poll() is None
        assert "Traceback" not in running.log.read_text()
        reply = running.post("/v1/ocr", content=PNG, headers={"content-type": "image/png"})
        assert [line["text"] for line in reply.json()["pages"][0]["lines"]] == TEXTS


@given(damaged(IMAGES))
def test_damaged_images_are_read_or_refused(gateway: Gateway, image: bytes) -> None:
    for path in ("/v1/ocr?model=pages", "/v1/recognize?model=bars"):
        _check(_send(gateway, path, image))


@given(damaged(PDFS))
def test_damaged_pdfs_are_read_or_refused(gateway: Gateway, pdf: bytes) -> None:
    _check(_send(gateway, "/v1/ocr?model=pages", pdf))


@given(damaged(REQUESTS))
def test_damaged_requests_are_answered_or_closed(gateway: Gateway, request_: bytes) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=WAIT_S) as connection:
        connection.sendall(request_)
        with connection.makefile("rb") as answer:
            first = answer.readline()
    assert not first or first.split()[:1] == [b"HTTP/1.1"]
    assert b" 500 " not in first


def _send(gateway: Gateway, path: str, document: bytes) -> httpx.Response:
    headers = {"content-type": "application/octet-stream"}
    return gateway.post(path, content=document, headers=headers, timeout=WAIT_S)


def _check(reply: httpx.Response) -> None:
    answer = reply.json()
    if reply.status_code == 200:
        assert "version" in answer
        return
    code = answer["error"]["code"]
    assert STATUS[code] == reply.status_code
    assert code != "internal", answer
