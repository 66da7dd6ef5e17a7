"""What our own layers refuse, as clients of other servers expect it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway, wait_until

KEY = {"authorization": "Bearer hush"}
ROUTES = {"/ocr": "/ocr", "/pages/prediction": "/{name}/prediction"}
AT_THE_EDGE = {
    "unauthorized": ({}, 401, 9),
    "cross_site": (KEY | {"sec-fetch-site": "cross-site"}, 403, 9),
    "expired": (KEY | {"x-request-timeout": "0.000001"}, 504, 1),
}
"""What is sent, and which status and number of Paddle Serving that gets."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "access.jsonl"


@pytest.fixture(scope="module")
def guarded(log: Path) -> Iterator[Gateway]:
    """A gateway that asks for a token."""
    settings = {"OCRLINE_TOKEN": "hush", "OCRLINE_ACCESS_LOG": str(log)}
    with serving_pages(log.parent / "g", **settings) as gateway:
        yield gateway


def told(path: str, answer: dict[str, Any]) -> tuple[int, str]:
    """Return number and message of an error, as clients of this path look for them."""
    if path == "/ocr":
        assert answer["logId"]
        return answer["errorCode"], answer["errorMsg"]
    assert (answer["key"], answer["value"], answer["tensors"]) == ([], [], [])
    return answer["err_no"], answer["err_msg"]


def logged(log: Path, reply: httpx.Response) -> list[tuple[str, str]]:
    """Return code and route of what the log has of a request."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    asked = [line for line in lines if line["request_id"] == reply.headers["x-request-id"]]
    return [(line["code"], line["route"]) for line in asked]


@pytest.mark.parametrize(("path", "number"), [("/ocr", 415), ("/pages/prediction", 9)])
def test_a_compressed_body_is_refused(page_gateway: Gateway, path: str, number: int) -> None:
    reply = page_gateway.post(path, content=b"-", headers={"content-encoding": "br"})

    assert reply.status_code == 415
    found, message = told(path, reply.json())
    assert found == number
    assert "Content-Encoding 'br'" in message


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("code", AT_THE_EDGE)
def test_what_the_edge_refuses_is_said_in_the_dialect_and_counted_under_its_route(
    guarded: Gateway, log: Path, code: str, path: str
) -> None:
    headers, status, number = AT_THE_EDGE[code]

    reply = guarded.post(path, content=b"{}", headers=headers)

    assert reply.status_code == status
    found, message = told(path, reply.json())
    assert found == (status if path == "/ocr" else number)
    assert message
    wait_until(lambda: logged(log, reply), log=guarded.log)
    assert logged(log, reply) == [(code, ROUTES[path])]
    counted = f'ocrline_problems_total{{code="{code}",route="{ROUTES[path]}"}} 1.0'
    assert counted in guarded.get("/metrics", headers=KEY).text


def test_what_the_edge_refuses_elsewhere_is_counted_under_its_route_too(guarded: Gateway) -> None:
    reply = guarded.post("/v1/ocr", content=b"-")

    assert reply.json()["error"]["code"] == "unauthorized"
    counted = 'ocrline_problems_total{code="unauthorized",route="/v1/ocr"} 1.0'
    assert counted in guarded.get("/metrics", headers=KEY).text
