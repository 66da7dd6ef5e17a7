"""POST /NAME/prediction, asked as PaddleOCR's pipeline_http_client.py asks."""

import ast
import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import pytest

from ocr.image.pixels import Image, encode_png
from tests.ocr.image.documents import image_pdf, tiff
from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page

TEXTS = ["2026", "31415", "9"]
PAGE = encode_png(draw_page(TEXTS))


def predict(gateway: Gateway, name: str, data: object) -> httpx.Response:
    """Ask without saying what the body is."""
    return gateway.post(f"/{name}/prediction", content=json.dumps(data).encode())


def asking(image: bytes) -> dict[str, list[str]]:
    return {"key": ["image"], "value": [base64.b64encode(image).decode()]}


def test_a_page_is_a_literal_of_texts_scores_and_corners(page_gateway: Gateway) -> None:
    reply = predict(page_gateway, "pages", asking(PAGE))

    answer = reply.json()
    assert (reply.status_code, answer["err_no"], answer["err_msg"]) == (200, 0, "")
    assert (answer["key"], answer["tensors"]) == (["result", "model_version"], [])
    assert answer["value"][1] == "pages:p1"
    lines = ast.literal_eval(answer["value"][0])  # its client evaluates it
    assert [text for (text, _), _ in lines] == TEXTS
    (_, score), corners = lines[0]
    assert score == pytest.approx(1, abs=0.01)
    assert corners == [[32, 24], [160, 24], [160, 56], [32, 56]]


def test_of_several_models_the_one_that_reads_pages_is_asked(page_gateway: Gateway) -> None:
    answer = predict(page_gateway, "ocr", asking(PAGE)).json()

    assert answer["value"][1] == "pages:p1"


def test_a_line_is_a_literal_of_its_text(gateway: Gateway) -> None:
    for name in ("ocr", "bars"):  # `ocr` is the only model there is
        answer = predict(gateway, name, asking(png("42"))).json()

        assert ast.literal_eval(answer["value"][0]) == ["42"]
        assert answer["value"][1] == "bars:v1"


@pytest.mark.parametrize(
    ("name", "data", "status", "number", "said"),
    [
        ("pages", {"key": ["image"], "value": []}, 422, 9, "1 keys, 0 values"),
        ("pages", {"key": ["image", "image"], "value": ["", ""]}, 422, 9, "Expected one"),
        ("pages", {"key": ["image", "image1"], "value": ["", ""]}, 422, 9, "Expected one"),
        ("pages", {"key": ["x"], "value": ["y"]}, 422, 9, 'Expected one {"key": ["image"]'),
        ("pages", asking(PAGE) | {"tensors": [{"elem_type": 13}]}, 422, 9, "tensors are not taken"),
        ("pages", {"key": ["image"], "value": ["%%%"]}, 400, 9, "The image is no base64"),
        ("pages", asking(b"junk"), 422, 9, ""),
        ("pages", [], 422, 9, ""),
        ("none", asking(PAGE), 404, 7, "No champion of 'none'"),
        ("bars", asking(b"junk"), 422, 9, "Image 0"),
    ],
)
def test_an_error_has_a_number_beside_its_status(
    page_gateway: Gateway, name: str, data: Any, status: int, number: int, said: str
) -> None:
    reply = predict(page_gateway, name, data)

    answer = reply.json()
    assert (reply.status_code, answer["err_no"]) == (status, number)
    assert said in answer["err_msg"]
    assert answer["err_msg"]
    assert (answer["key"], answer["value"]) == ([], [])


def test_options_that_it_has_not_are_refused(page_gateway: Gateway) -> None:
    reply = page_gateway.post("/ocr/prediction?model=none", json=asking(PAGE))

    assert (reply.status_code, reply.json()["err_no"]) == (400, 9)
    assert "/ocr/prediction takes no options" in reply.json()["err_msg"]


@pytest.mark.parametrize("make", [tiff, partial(image_pdf, dpi=100)], ids=["TIFF", "PDF"])
def test_a_document_of_several_pages_is_refused(
    page_gateway: Gateway, make: Callable[[list[Image]], bytes]
) -> None:
    reply = predict(page_gateway, "pages", asking(make([draw_page(["1"]), draw_page(["2"])])))

    answer = reply.json()
    assert (reply.status_code, answer["err_no"], answer["value"]) == (413, 9, [])
    assert (
        answer["err_msg"] == "More than 1 page: send fewer at once, or say which at /v1/ocr?pages="
    )


@pytest.mark.parametrize("path", ["/pages/prediction", "/ocr"])
def test_pages_of_other_sites_cannot_ask(page_gateway: Gateway, path: str) -> None:
    headers = {"origin": "https://elsewhere.example", "sec-fetch-site": "cross-site"}

    reply = page_gateway.post(path, content=b"{}", headers=headers)

    assert reply.status_code == 403
