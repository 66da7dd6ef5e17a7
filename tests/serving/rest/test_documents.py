"""Every way to send a document, and what comes back."""

import base64
import io
from typing import Any

import numpy as np
import PIL.Image
import pytest

from ocr.image.pixels import Image, decode_image, encode_png
from tests.ocr.image.documents import image_pdf, tiff
from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page

TEXTS = ["2026", "31415", "9"]
PAGE = draw_page(TEXTS)
RAW = {"content-type": "application/octet-stream"}
MANY = 10_000_000


def ocr(gateway: Gateway, document: bytes, query: str = "", **headers: str) -> dict[str, Any]:
    reply = gateway.post(f"/v1/ocr{query}", content=document, headers={**RAW, **headers})
    answer: dict[str, Any] = reply.raise_for_status().json()
    return answer


def texts(answer: dict[str, Any]) -> list[list[str]]:
    return [[line["text"] for line in page["lines"]] for page in answer["pages"]]


def rgb(image: Image) -> PIL.Image.Image:
    return PIL.Image.fromarray(np.ascontiguousarray(image[..., ::-1]))


def encode(image: PIL.Image.Image, format_name: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format_name, **options)
    return stream.getvalue()


def test_answer_holds_lines_in_reading_order_with_all_that_is_known(page_gateway: Gateway) -> None:
    answer = ocr(page_gateway, encode_png(PAGE), **{"x-request-id": "order-7"})

    assert (answer["model"], answer["version"], answer["request_id"]) == ("pages", "p1", "order-7")
    assert answer["text"] == "2026\n31415\n9"
    (page,) = answer["pages"]
    assert (page["page"], page["width"], page["height"], page["rotation"]) == (1, 640, 192, 0)
    first = page["lines"][0]
    assert first["polygon"] == [[32, 24], [160, 24], [160, 56], [32, 56]]
    assert first["confidence"] == pytest.approx(1, abs=0.01)
    assert {"decode_s", "detect_s", "recognise_s"} <= set(page["timings"])
    assert "image" not in page
    assert "annotated" not in page


SENT = {
    "PNG": encode_png(PAGE),
    "JPEG": encode(rgb(PAGE), "JPEG", quality=95, subsampling=0),
    "WebP": encode(rgb(PAGE), "WEBP", lossless=True),
    "TIFF": tiff([PAGE]),
    "PDF": image_pdf([PAGE], dpi=200),
    "CMYK JPEG": encode(rgb(PAGE).convert("CMYK"), "JPEG", quality=100, subsampling=0),
    "animated WebP, its first frame": encode(
        rgb(PAGE), "WEBP", lossless=True, save_all=True, append_images=[rgb(draw_page(["1"] * 3))]
    ),
}


@pytest.mark.parametrize("kind", SENT)
def test_document_is_read_whatever_it_is(page_gateway: Gateway, kind: str) -> None:
    assert texts(ocr(page_gateway, SENT[kind])) == [TEXTS]


@pytest.mark.parametrize(
    "content_type", ["image/png", "application/pdf", "application/octet-stream"]
)
def test_content_decides_what_a_raw_body_is(page_gateway: Gateway, content_type: str) -> None:
    answer = ocr(page_gateway, encode_png(PAGE), **{"content-type": content_type})

    assert texts(answer) == [TEXTS]


def test_multipart_file_is_read(page_gateway: Gateway) -> None:
    reply = page_gateway.post("/v1/ocr", files={"document": ("a.pdf", SENT["PDF"])})

    assert texts(reply.raise_for_status().json()) == [TEXTS]


def test_options_may_stand_in_the_json_body(page_gateway: Gateway) -> None:
    document = base64.b64encode(image_pdf([PAGE, PAGE], dpi=200)).decode()
    body = {"document": document, "model": "pages", "version": "p1", "pages": "1", "render": True}

    reply = page_gateway.post("/v1/ocr", json=body)

    (page,) = reply.raise_for_status().json()["pages"]
    rendered = decode_image(base64.b64decode(page["image"]), max_pixels=MANY)
    assert np.abs(rendered.astype(int) - PAGE).mean() < 8


@pytest.mark.parametrize("make", [tiff, lambda pages: image_pdf(pages, dpi=200)])
def test_pages_come_in_their_order(page_gateway: Gateway, make: Any) -> None:
    answer = ocr(page_gateway, make([draw_page(["1"]), draw_page(["22", "333"])]))

    assert texts(answer) == [["1"], ["22", "333"]]
    assert [page["page"] for page in answer["pages"]] == [1, 2]
    assert answer["text"] == "1\n\n22\n333"


def test_page_on_its_side_is_turned_and_its_boxes_turned_back(page_gateway: Gateway) -> None:
    page = draw_page(["0123456789", "9876543210"])

    answer = ocr(page_gateway, encode_png(np.ascontiguousarray(np.rot90(page))))

    (found,) = answer["pages"]
    assert texts(answer) == [["0123456789", "9876543210"]]
    assert found["rotation"] == 90
    assert (found["width"], found["height"]) == (page.shape[0], page.shape[1])
    assert found["lines"][0]["polygon"] == [[24, 608], [24, 288], [56, 288], [56, 608]]


def test_annotated_page_is_the_page_with_boxes(page_gateway: Gateway) -> None:
    (page,) = ocr(page_gateway, encode_png(PAGE), "?annotate=true")["pages"]

    drawn = decode_image(base64.b64decode(page["annotated"]), max_pixels=MANY)
    assert drawn.shape == PAGE.shape
    assert (np.abs(drawn.astype(int) - PAGE).max(axis=2) > 40).mean() > 0.01
    assert "annotate_s" in page["timings"]


def test_page_without_lines_is_an_answer(page_gateway: Gateway) -> None:
    answer = ocr(page_gateway, encode_png(draw_page([])))

    assert texts(answer) == [[]]
    assert answer["text"] == ""


def test_pipeline_reads_lines_too(page_gateway: Gateway) -> None:
    assert page_gateway.read(png("42"), model="pages") == ("42", "p1")


def test_models_say_what_they_do(page_gateway: Gateway) -> None:
    assert page_gateway.model("pages")["task"] == "pipeline"
    assert page_gateway.model("bars")["task"] == "recognition"
    assert page_gateway.model("pages-detector")["version"] is None


def test_metrics_count_pages_lines_and_stages(page_gateway: Gateway) -> None:
    names = (
        'ocrline_pages_total{model="pages"}',
        'ocrline_lines_total{model="pages"}',
        'ocrline_stage_seconds_count{model="pages",stage="detect"}',
        'ocrline_stage_seconds_count{model="pages",stage="decode"}',
    )
    before = [page_gateway.metric(name) for name in names]

    ocr(page_gateway, tiff([draw_page(["1"]), draw_page(["22", "333"])]))

    after = [page_gateway.metric(name) for name in names]
    assert [now - then for now, then in zip(after, before, strict=True)] == [2, 3, 2, 2]


def test_openapi_describes_the_route_with_an_example(page_gateway: Gateway) -> None:
    operation = page_gateway.get("/openapi.json").json()["paths"]["/v1/ocr"]["post"]

    assert set(operation["requestBody"]["content"]) >= {"image/*", "application/pdf"}
    assert {one["name"] for one in operation["parameters"]} >= {"model", "annotate", "pages"}
    assert operation["responses"]["200"]["content"]["application/json"]["example"]["pages"]
    assert "/v1/ocr" in page_gateway.get("/docs").text
    assert "@page.jpg" in page_gateway.get("/docs").text
