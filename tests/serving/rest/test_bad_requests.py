"""What each bad request gets; every one goes over a real socket to a real gateway."""

import base64
import gzip
import http.client
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import draw, png

GOOD = png("2026")
BASE64 = base64.b64encode(GOOD).decode()
JPEG = {"content-type": "image/jpeg"}
PNG = {"content-type": "image/png"}
JSON = {"content-type": "application/json"}

Send = Callable[[Gateway], httpx.Response]


def raw(body: bytes, headers: dict[str, str] = PNG, path: str = "/v1/recognize") -> Send:
    return lambda gateway: gateway.post(path, content=body, headers=headers)


def body(content: Any) -> Send:
    return lambda gateway: gateway.post(json=content)


def parts(*files: tuple[str, bytes], fields: dict[str, str] | None = None) -> Send:
    return lambda gateway: gateway.post(files=[("image", file) for file in files], data=fields)


def jpeg(image: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    return cv2.imencode(".jpg", image)[1].tobytes()


def bomb() -> bytes:
    """A PNG of a few bytes that says it is 60000 x 60000."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [header, b"IDAT" + zlib.compress(b"\0" * 1000), b"IEND"]
    packed = (
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def chunked(gateway: Gateway) -> httpx.Response:
    return gateway.post(content=iter([b"\xff" * 65536] * 64), headers=PNG)


def grey_png(side: int) -> bytes:
    return cv2.imencode(".png", np.zeros((side, side, 3), np.uint8))[1].tobytes()


def multipart(content: bytes, boundary: str = "; boundary=cut") -> Send:
    return raw(content, {"content-type": f"multipart/form-data{boundary}"})


FILE = b'--cut\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'

CASES: dict[str, tuple[Send, int, str]] = {
    "empty body": (raw(b""), 400, "empty_body"),
    "empty JSON body": (raw(b"", JSON), 400, "empty_body"),
    "bad JSON": (raw(b'{"images": [', JSON), 400, "bad_json"),
    "JSON that is not UTF-8": (raw(b'{"image": "\xff\xfe"}', JSON), 400, "bad_json"),
    "JSON nested too deep": (raw(b"[" * 10_000, JSON), 400, "bad_json"),
    "JSON of very many values": (raw(b'{"images": [' + b"1," * 10**5, JSON), 422, "wrong_fields"),
    "JSON of very many fields": (raw(b'{"a":1,' * 30_000, JSON), 422, "wrong_fields"),
    "JSON without an object": (body([BASE64]), 422, "wrong_fields"),
    "JSON with a wrong field": (body({"img": BASE64}), 422, "wrong_fields"),
    "JSON with a number": (body({"images": [BASE64, 7]}), 422, "wrong_fields"),
    "JSON with no image": (body({"images": []}), 422, "wrong_fields"),
    "JSON with both fields": (body({"image": BASE64, "images": [BASE64]}), 422, "wrong_fields"),
    "bad base64": (body({"images": [BASE64, "%%%"]}), 400, "bad_base64"),
    "base64 cut short": (body({"image": BASE64[:-3]}), 400, "bad_base64"),
    "base64 of no image": (body({"images": [BASE64, "aGVsbG8="]}), 422, "bad_image"),
    "too many images": (body({"images": [BASE64] * 5}), 413, "too_many_images"),
    "too many files": (parts(*[("a.png", GOOD)] * 5), 413, "too_many_images"),
    "truncated JPEG": (raw(jpeg(draw("123456"))[:-40], JPEG), 422, "bad_image"),
    "text as an image": (raw(b"%PDF-1.7 hello", JPEG), 422, "bad_image"),
    "decompression bomb": (raw(bomb()), 413, "image_too_large"),
    "too many pixels together": (
        body({"images": [base64.b64encode(grey_png(900)).decode()] * 2}),
        413,
        "image_too_large",
    ),
    "huge body": (raw(b"\xff" * 5_000_000), 413, "body_too_large"),
    "huge body without a length": (chunked, 413, "body_too_large"),
    "wrong type": (raw(b"<x/>", {"content-type": "text/xml"}), 415, "unsupported_type"),
    "no type": (raw(GOOD, {}), 415, "unsupported_type"),
    "curl's default type": (
        raw(GOOD, {"content-type": "application/x-www-form-urlencoded"}),
        415,
        "unsupported_type",
    ),
    "compressed body": (
        raw(gzip.compress(GOOD), PNG | {"content-encoding": "gzip"}),
        415,
        "unsupported_type",
    ),
    "multipart without boundary": (multipart(b"x", ""), 400, "bad_multipart"),
    "multipart of another boundary": (multipart(b"--other\r\n\r\nx"), 400, "bad_multipart"),
    "multipart cut short": (multipart(FILE + GOOD[:20]), 400, "bad_multipart"),
    "multipart with no part": (multipart(b"--cut--\r\n"), 422, "wrong_fields"),
    "multipart file of 0 bytes": (parts(("a.png", b"")), 422, "bad_image"),
    "multipart with a text field": (
        parts(("a.png", GOOD), fields={"lang": "en"}),
        422,
        "wrong_fields",
    ),
    "bad image among good files": (
        parts(("a.png", GOOD), ("b.png", GOOD[:30])),
        422,
        "bad_image",
    ),
    "unknown model": (raw(GOOD, path="/v1/recognize?model=nobody"), 404, "unknown_model"),
    "path as a model": (raw(GOOD, path="/v1/recognize?model=../../etc"), 404, "unknown_model"),
    "unknown parameter": (raw(GOOD, path="/v1/recognize?modle=bars"), 400, "bad_query"),
    "GET on a POST route": (lambda g: g.get("/v1/recognize"), 405, "method_not_allowed"),
    "POST on a GET route": (raw(GOOD, path="/v1/models"), 405, "method_not_allowed"),
    "a slash too many": (raw(GOOD, path="/v1/recognize/"), 404, "not_found"),
    "a slash too many of a GET": (lambda g: g.get("/v1/models/"), 404, "not_found"),
    "no such path": (raw(GOOD, path="/v1/recognise"), 404, "not_found"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_request_gets_its_code(gateway: Gateway, case: str) -> None:
    send, status, code = CASES[case]

    reply = send(gateway)

    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (status, code), error
    assert error["request_id"] == reply.headers["x-request-id"]
    assert error["message"]
    assert "Traceback" not in reply.text
    assert str(gateway.log.parent) not in reply.text
    assert gateway.read(GOOD) == ("2026", "v1")  # and the gateway goes on


@pytest.mark.parametrize(
    ("send", "told"),
    [
        (parts(("a.png", GOOD), fields={"model": "bars"}), "options in the query"),
        (body({"image": "http://example.org/a.png"}), "no address"),
        (body({"image": base64.urlsafe_b64encode(b"\xfb\xef\xff").decode()}), "+ and /"),
        (body({"image": BASE64, "lang": "en"}), "lang: unknown field; known: image, images"),
        (raw(GOOD, path="/v1/ocr?pages=0"), "'pages': expected page numbers from 1"),
        (raw(b"\xff" * 5_000_000), "OCRLINE_MAX_BODY_MB here; send fewer pages"),
    ],
)
def test_what_is_refused_is_told_with_what_to_send_instead(
    gateway: Gateway, send: Send, told: str
) -> None:
    assert told in send(gateway).json()["error"]["message"]


def test_bad_image_names_its_index(gateway: Gateway) -> None:
    reply = CASES["bad image among good files"][0](gateway)

    assert reply.json()["error"]["index"] == 1
    assert reply.json()["error"]["message"].startswith("Image 1:")


def test_unknown_parameter_is_named_beside_the_known(gateway: Gateway) -> None:
    reply = CASES["unknown parameter"][0](gateway)

    said = "Unknown query parameter 'modle'; known: model, partial"
    assert reply.json()["error"]["message"] == said


def test_each_encoding_of_several_counts(gateway: Gateway) -> None:
    twice = [*PNG.items(), ("content-encoding", "identity"), ("content-encoding", "gzip")]
    refused = gateway.http.post("/v1/recognize", content=GOOD, headers=twice)
    blank = gateway.post(content=GOOD, headers=PNG | {"content-encoding": "identity ,"})

    assert (refused.status_code, blank.status_code) == (415, 200)
    assert "Content-Encoding 'identity, gzip'" in refused.text


def test_encoding_of_a_body_is_named(gateway: Gateway) -> None:
    refused = CASES["compressed body"][0](gateway)
    plain = gateway.post(content=GOOD, headers=PNG | {"content-encoding": "Identity"})

    assert refused.json()["error"]["message"].startswith("Content-Encoding 'gzip': expected none")
    assert plain.status_code == 200


def test_slow_body_is_given_up(gateway: Gateway) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=20)
    connection.putrequest("POST", "/v1/recognize")
    connection.putheader("Content-Type", "image/png")
    connection.putheader("Content-Length", "100")
    connection.endheaders(b"only this")

    reply = connection.getresponse()

    assert reply.status == 408
    assert json.loads(reply.read())["error"]["code"] == "body_timeout"


@pytest.mark.parametrize("given", [b"caf\xc3\xa9", b"\xff\xfe", b"a b", b"x" * 200, b'"><script>'])
def test_harmful_request_id_is_replaced(gateway: Gateway, given: bytes) -> None:
    reply = gateway.get("/v1/models", headers=[(b"x-request-id", given)])

    assert reply.status_code == 200
    assert len(reply.headers["x-request-id"]) == 32


def test_good_request_id_comes_back(gateway: Gateway) -> None:
    headers = {**PNG, "x-request-id": "order-7.2_b"}

    reply = gateway.post(content=GOOD, headers=headers)

    assert reply.headers["x-request-id"] == "order-7.2_b"
    assert reply.json()["request_id"] == "order-7.2_b"


def test_no_bad_request_leaves_a_trace_in_the_log(gateway: Gateway) -> None:
    for send, _, _ in CASES.values():
        send(gateway)

    log = gateway.log.read_text()
    assert "Traceback" not in log
    assert "multipart" not in log


def test_every_answer_carries_the_security_headers(gateway: Gateway) -> None:
    for reply in (gateway.get("/v1/models"), gateway.get("/nowhere"), raw(b"")(gateway)):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert "server" not in reply.headers
