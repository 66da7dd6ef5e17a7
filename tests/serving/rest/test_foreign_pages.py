"""What a page of another site can make a browser send, and what our own and no browser may."""

import pytest

from bench.serve.raw_client import RawClient, post
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, png

GOOD = png("2026")


@pytest.mark.parametrize("path", ["/", "/v1/models", "/health/ready", "/metrics"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:8868", "["]
)
def test_name_that_leads_here_without_being_ours_is_refused(
    gateway: Gateway, path: str, host: str
) -> None:
    reply = gateway.get(path, headers={"host": host})

    assert (reply.status_code, reply.json()["error"]["code"]) == (421, "unknown_host")
    assert "OCRLINE_HOSTS" in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:8868", "192.168.1.7", "[fe80::1]"]
)
def test_loopback_and_addresses_are_ours(gateway: Gateway, host: str) -> None:
    assert gateway.get("/v1/models", headers={"host": host}).status_code == 200


def test_two_names_in_one_request_are_refused(gateway: Gateway) -> None:
    with RawClient(gateway.port) as client:
        client.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n")
        reply = client.receive()

    assert reply is not None
    assert reply.status == 421


def test_probe_without_a_name_is_answered(gateway: Gateway) -> None:
    with RawClient(gateway.port) as client:
        client.send(b"GET /health/live HTTP/1.0\r\n\r\n")
        reply = client.receive()

    assert reply is not None
    assert reply.status == 200


def test_names_of_the_settings_are_ours(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    named = {"OCRLINE_HOST": "localhost", "OCRLINE_HOSTS": "ocr.example, Gateway"}

    with running_gateway(shelf.folder / "home", store=shelf.store, **named) as gateway:
        told = {
            host: gateway.get("/health/live", headers={"host": host}).status_code
            for host in ("ocr.example", "gateway:8868", "OCR.example:443", "other.example")
        }

    assert told == {
        "ocr.example": 200,
        "gateway:8868": 200,
        "OCR.example:443": 200,
        "other.example": 421,
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:9"},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9"},
        {"origin": "null"},
        {"origin": "http://["},
    ],
)
@pytest.mark.parametrize("path", ["/v1/recognize", "/v1/ocr"])
def test_post_from_another_site_is_refused(
    gateway: Gateway, headers: dict[str, str], path: str
) -> None:
    reply = gateway.post(path, files={"image": ("a.png", GOOD)}, headers=headers)

    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "cross_site")


def test_post_of_our_page_and_of_no_browser_is_answered(gateway: Gateway) -> None:
    ours = gateway.url
    for headers in (
        {},
        {"sec-fetch-site": "same-origin", "origin": ours},
        {"sec-fetch-site": "same-origin", "origin": "https://proxied.example"},
        {"sec-fetch-site": "none"},
        {"origin": ours},
        {"origin": ours.replace("http:", "https:")},  # a proxy before us speaks TLS
    ):
        reply = gateway.post(files={"image": ("a.png", GOOD)}, headers=headers)

        assert reply.status_code == 200, headers


def test_link_from_another_site_is_followed(gateway: Gateway) -> None:
    headers = {"sec-fetch-site": "cross-site", "origin": "https://elsewhere.example"}

    assert gateway.get("/", headers=headers).status_code == 200


def test_type_is_judged_before_the_body_is_received(gateway: Gateway) -> None:
    with RawClient(gateway.port) as client:
        client.send(post(length=1000, kind="text/plain"))
        reply = client.receive()

    assert reply is not None
    assert (reply.status, reply.headers["connection"]) == (415, "close")
    assert reply.error["code"] == "unsupported_type"
