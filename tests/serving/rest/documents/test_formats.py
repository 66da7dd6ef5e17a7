"""What a document is answered with, by a real gateway."""

import base64
import codecs
import io
import json
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pypdfium2 as pdfium
import pytest

from ocr.image.pixels import encode_png
from tests.ocr.image.documents import tiff
from tests.serving.gateway import Gateway
from tests.serving.tiny_pipeline import draw_page

RAW = {"content-type": "application/octet-stream"}
PAGES = tiff([draw_page(["2026", "31415"]), draw_page(["9"])])


def ask(gateway: Gateway, query: str, document: bytes = PAGES) -> Any:
    return gateway.post(f"/v1/ocr?model=pages&{query}", content=document, headers=RAW)


def test_words_are_told_where_they_are_asked_for(page_gateway: Gateway) -> None:
    lines = ask(page_gateway, "words=true").json()["pages"][0]["lines"]
    silent = ask(page_gateway, "").json()["pages"][0]["lines"]

    assert [[word["text"] for word in line["words"]] for line in lines] == [["2026"], ["31415"]]
    (word,) = lines[0]["words"]
    assert word["confidence"] == pytest.approx(1, abs=0.01)
    assert np.allclose(word["polygon"], lines[0]["polygon"], atol=1)
    assert not any("words" in line for line in silent)


def test_hocr_holds_every_page(page_gateway: Gateway) -> None:
    reply = ask(page_gateway, "format=hocr")

    assert reply.headers["content-type"].startswith("text/vnd.hocr+html")
    root = ElementTree.fromstring(reply.text)
    found = [
        node.text
        for node in root.iter("{http://www.w3.org/1999/xhtml}span")
        if node.get("class") == "ocrx_word"
    ]
    assert found == ["2026", "31415", "9"]
    assert "ocrline pages:p1" in reply.text


def test_text_of_a_searchable_pdf_is_what_was_read(page_gateway: Gateway) -> None:
    reply = ask(page_gateway, "format=pdf")

    assert reply.headers["content-type"] == "application/pdf"
    pdf = pdfium.PdfDocument(io.BytesIO(reply.content))
    texts = [page.get_textpage().get_text_bounded().split() for page in pdf]
    assert texts == [["2026", "31415"], ["9"]]
    shown = pdf[0].render(scale=200 / 72).to_numpy()[:128, :640, :3]
    assert np.abs(shown.astype(int) - draw_page(["2026", "31415"])).mean() < 8


@pytest.mark.parametrize("form", ["json", "hocr", "pdf"])
def test_what_read_a_document_is_told_beside_every_format(page_gateway: Gateway, form: str) -> None:
    assert ask(page_gateway, f"format={form}").headers["x-model"] == "pages:p1"


@pytest.mark.parametrize("option", ["partial", "annotate", "render"])
@pytest.mark.parametrize("form", ["pdf", "hocr"])
def test_a_file_of_all_pages_has_no_place_for_errors_and_pictures(
    page_gateway: Gateway, form: str, option: str
) -> None:
    reply = ask(page_gateway, f"format={form}&{option}=true")

    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (422, "wrong_fields")
    assert error["message"].startswith(f"{option} goes with the formats json and ndjson")


def test_json_may_begin_with_a_byte_order_mark(page_gateway: Gateway) -> None:
    asked = {"document": base64.b64encode(PAGES).decode(), "model": "pages"}

    reply = page_gateway.post(
        "/v1/ocr",
        content=codecs.BOM_UTF8 + json.dumps(asked).encode(),
        headers={"content-type": "application/json"},
    )

    assert reply.status_code == 200


def test_options_of_the_body_and_of_the_query_are_weighed_together(page_gateway: Gateway) -> None:
    reply = page_gateway.post("/v1/ocr?partial=true", json={"document": "aGk=", "format": "pdf"})

    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "wrong_fields")


def test_a_page_without_text_is_a_page_of_the_file(page_gateway: Gateway) -> None:
    empty = encode_png(draw_page([]))

    assert len(pdfium.PdfDocument(io.BytesIO(ask(page_gateway, "format=pdf", empty).content))) == 1
    assert "ocr_page" in ask(page_gateway, "format=hocr", empty).text
