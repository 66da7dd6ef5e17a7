"""Long documents: some of their pages, those that can be read, and each as soon as it is."""

import base64
import json
from typing import Any

import numpy as np
import pytest

from ocr.image.pixels import encode_png
from tests.ocr.image.documents import image_pdf, joined_pdf, make_pdf, tiff
from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page

RAW = {"content-type": "application/octet-stream"}
TOO_LARGE = draw_page(["2"] * 100)
"""More pixels than this gateway takes."""


def ask(gateway: Gateway, document: bytes, query: str) -> Any:
    return gateway.post(f"/v1/ocr?model=pages&{query}", content=document, headers=RAW)


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def read(pages: list[dict[str, Any]]) -> list[tuple[int, list[str]]]:
    return [(page["page"], [line["text"] for line in page["lines"]]) for page in pages]


@pytest.mark.parametrize("make", [tiff, lambda pages: image_pdf(pages, dpi=200)])
def test_pages_are_chosen_by_their_numbers(page_gateway: Gateway, make: Any) -> None:
    document = make([draw_page([str(number)]) for number in range(1, 8)])

    answer = ask(page_gateway, document, "pages=2,5-6").json()
    clipped = ask(page_gateway, document, "pages=7-9").json()

    assert read(answer["pages"]) == [(2, ["2"]), (5, ["5"]), (6, ["6"])]
    assert read(clipped["pages"]) == [(7, ["7"])]


@pytest.mark.parametrize("make", [tiff, lambda pages: image_pdf(pages, dpi=200)])
def test_how_many_pages_there_are_is_told_whichever_are_read(
    page_gateway: Gateway, make: Any
) -> None:
    document = make([draw_page([str(number)]) for number in range(1, 8)])

    answer = ask(page_gateway, document, "pages=2-3").json()
    rows = lines_of(ask(page_gateway, document, "pages=2-3&format=ndjson").text)
    image = ask(page_gateway, encode_png(draw_page(["1"])), "").json()

    assert (answer["page_count"], len(answer["pages"])) == (7, 2)
    assert "page_count" not in answer["pages"][0]
    assert [(row["page"], row["page_count"]) for row in rows] == [(2, 7), (3, 7)]
    assert image["page_count"] == 1


def test_a_page_that_cannot_be_read_keeps_no_other_from_being_answered(
    page_gateway: Gateway,
) -> None:
    document = tiff([draw_page(["1"]), TOO_LARGE, draw_page(["3"])])

    whole = ask(page_gateway, document, "")
    partial = ask(page_gateway, document, "partial=true").json()

    assert whole.status_code == 413
    assert whole.json()["error"]["message"].startswith("Page 2: ")
    assert whole.json()["error"]["index"] == 1
    assert partial["page_count"] == 3
    first, second, third = partial["pages"]
    assert read([first, third]) == [(1, ["1"]), (3, ["3"])]
    assert (second["page"], second["error"]["code"]) == (2, "image_too_large")
    assert partial["text"] == "1\n\n\n\n3"


def test_a_bad_page_of_a_pdf_is_named_for_programs_and_people(page_gateway: Gateway) -> None:
    good = image_pdf([draw_page(["1"])], dpi=200)
    document = joined_pdf([good, make_pdf(page="/CropBox [1000 1000 1001 1001]")])

    reply = ask(page_gateway, document, "pages=2")

    error = reply.json()["error"]
    assert (reply.status_code, error["code"], error["index"]) == (422, "bad_document", 1)
    assert error["message"] == "Page 2 of the PDF is 0 x 0 points"


def test_a_document_that_cannot_be_opened_is_refused_as_a_whole(page_gateway: Gateway) -> None:
    reply = ask(page_gateway, b"%PDF-1.7 and nothing more", "partial=true")

    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "bad_document")
    assert "index" not in reply.json()["error"]


def test_an_image_that_cannot_be_read_keeps_no_other_from_being_answered(
    gateway: Gateway,
) -> None:
    files = [("image", (name, data)) for name, data in (("a", png("1")), ("b", b"?"), ("c", b""))]

    whole = gateway.post(files=files)
    partial = gateway.post("/v1/recognize?partial=true", files=files).json()["results"]

    assert (whole.status_code, whole.json()["error"]["index"] > 0) == (422, True)
    assert partial[0]["text"] == "1"
    assert [result["error"]["code"] for result in partial[1:]] == ["bad_image"] * 2
    assert partial[1]["error"]["message"].startswith("Image 1: ")


def test_an_image_that_is_no_base64_keeps_no_other_from_being_answered(gateway: Gateway) -> None:
    body = {"images": ["%%%", "", base64.b64encode(png("1")).decode()]}

    whole = gateway.post(json=body).json()["error"]
    partial = gateway.post("/v1/recognize?partial=true", json=body).json()["results"]

    assert (whole["code"], whole["index"]) == ("bad_base64", 0)
    assert [result["error"]["code"] for result in partial[:2]] == ["bad_base64", "bad_image"]
    assert partial[0]["error"]["message"].startswith("Image 0 is no base64")
    assert partial[2]["text"] == "1"


def test_a_scan_that_is_too_large_is_read_in_a_pdf_as_its_refusal_says(
    page_gateway: Gateway,
) -> None:
    scan = draw_page(["31"]).repeat(5, axis=0).repeat(5, axis=1)  # 200 dpi five times

    refused = ask(page_gateway, encode_png(scan), "")
    answer = ask(page_gateway, image_pdf([scan], dpi=1000), "").json()

    assert refused.status_code == 413
    assert "scale it down, or send it in a PDF" in refused.json()["error"]["message"]
    assert read(answer["pages"]) == [(1, ["31"])]


def test_too_many_pixels_refuse_the_whole_request(gateway: Gateway) -> None:
    files = [("image", ("a", encode_png(np.zeros((500, 1000, 3), np.uint8))))] * 4

    reply = gateway.post("/v1/recognize?partial=true", files=files)

    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "image_too_large")


def test_each_page_is_sent_as_soon_as_it_is_read(page_gateway: Gateway) -> None:
    document = image_pdf([draw_page([str(number)]) for number in range(1, 4)], dpi=200)
    url = "/v1/ocr?model=pages&format=ndjson&pages=1-3"
    pages = 'ocrline_pages_total{model="pages"}'
    before = page_gateway.metric(pages)

    with page_gateway.http.stream("POST", url, content=document, headers=RAW) as reply:
        came = reply.iter_lines()
        first = json.loads(next(came))
        others = [json.loads(line) for line in came]

    assert reply.headers["content-type"] == "application/x-ndjson"
    assert read([first, *others]) == [(1, ["1"]), (2, ["2"]), (3, ["3"])]
    assert {line["version"] for line in (first, *others)} == {"p1"}
    assert first["request_id"] == reply.headers["x-request-id"]
    assert page_gateway.metric(pages) - before == 3


def test_what_goes_wrong_later_is_the_last_line(page_gateway: Gateway) -> None:
    document = tiff([draw_page(["1"]), TOO_LARGE, draw_page(["3"])])

    reply = ask(page_gateway, document, "format=ndjson")
    partial = ask(page_gateway, document, "format=ndjson&partial=true")
    at_once = ask(page_gateway, tiff([TOO_LARGE]), "format=ndjson")

    first, last = lines_of(reply.text)
    assert read([first]) == [(1, ["1"])]
    assert (last["error"]["code"], last["error"]["index"]) == ("image_too_large", 1)
    assert ["error" in line for line in lines_of(partial.text)] == [False, True, False]
    assert (at_once.status_code, at_once.json()["error"]["code"]) == (413, "image_too_large")


def test_pictures_of_pages_that_were_sent_take_no_room(page_gateway: Gateway) -> None:
    document = image_pdf([draw_page(["1"])] * 3, dpi=200)

    sent = lines_of(ask(page_gateway, document, "format=ndjson&render=true").text)

    assert all(page["image"] for page in sent)
    assert page_gateway.metric("ocrline_answer_bytes") == 0
