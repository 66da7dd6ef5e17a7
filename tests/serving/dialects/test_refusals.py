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


@pytest.mark.parametrize("path", ROUTES)
def test_what_the_router_refuses_is_said_in_the_dialect_too(
    page_gateway: Gateway, path: str
) -> None:
    reply = page_gateway.get(path)

    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    assert told(path, reply.json()) == (
        405 if path == "/ocr" else 9,
        f"GET {path}: Method Not Allowed; see /docs",
    )


def test_the_name_that_a_client_gives_its_request_is_in_answer_and_log(
    guarded: Gateway, log: Path
) -> None:
    reply = guarded.post("/ocr", json={"file": "http://x/", "logId": "order-7"}, headers=KEY)

    assert (reply.status_code, reply.json()["logId"]) == (422, "order-7")
    wait_until(lambda: logged(log, reply), log=guarded.log)
    assert '"log_id": "order-7"' in log.read_text()


def test_a_request_without_a_name_is_named_by_its_id(page_gateway: Gateway) -> None:
    for reply in (page_gateway.post("/ocr", content=b"{}"), page_gateway.get("/health")):
        assert reply.json()["logId"] == reply.headers["x-request-id"]


def test_an_unknown_model_is_so_in_the_log_too(guarded: Gateway, log: Path) -> None:
    paths = ("/v2/models/none", "/v2/models/none/ready")

    replies = [guarded.get(path, headers=KEY) for path in paths]

    wait_until(lambda: bool(logged(log, replies[-1])), log=guarded.log)
    for reply in replies:
        assert (reply.status_code, list(reply.json())) == (404, ["error"])
        assert [code for code, _ in logged(log, reply)] == ["unknown_model"]


def test_what_the_edge_refuses_elsewhere_is_counted_under_its_route_too(guarded: Gateway) -> None:
    reply = guarded.post("/v1/ocr", content=b"-")

    assert reply.json()["error"]["code"] == "unauthorized"
    counted = 'ocrline_problems_total{code="unauthorized",route="/v1/ocr"} 1.0'
    assert counted in guarded.get("/metrics", headers=KEY).text
