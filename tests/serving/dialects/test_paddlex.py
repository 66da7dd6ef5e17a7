"""POST /ocr, with the fields and the answers of PaddleX's server."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ocr.image.pixels import decode_image, encode_png
from tests.ocr.image.documents import image_pdf
from tests.serving.conftest import Shelf, serving_pages
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import RULE, draw_page

TEXTS = ["2026", "31415", "9"]
PAGE = encode_png(draw_page(TEXTS))


def ask(gateway: Gateway, **fields: Any) -> tuple[int, dict[str, Any]]:
    asked = {"file": base64.b64encode(PAGE).decode(), "fileType": 1} | fields
    reply = gateway.post("/ocr", json={k: v for k, v in asked.items() if v is not ...})
    return reply.status_code, reply.json()


def test_an_image_gets_the_full_answer(page_gateway: Gateway) -> None:
    status, answer = ask(page_gateway, logId="order-7", another="field")

    assert (status, answer["logId"], answer["errorCode"]) == (200, "order-7", 0)
    assert answer["errorMsg"] == "Success"
    assert answer["result"]["dataInfo"] == {"type": "image", "width": 640, "height": 192}
    (found,) = answer["result"]["ocrResults"]
    for picture in ("ocrImage", "inputImage"):
        assert decode_image(base64.b64decode(found[picture]), max_pixels=10**6).shape == (
            192,
            640,
            3,
        )
    pruned = found["prunedResult"]
    assert pruned.keys() == {
        *("model_settings", "dt_polys", "text_det_params", "text_type"),
        *("textline_orientation_angles", "text_rec_score_thresh", "return_word_box"),
        *("rec_texts", "rec_scores", "rec_polys", "rec_boxes"),
    }
    assert pruned["rec_texts"] == TEXTS
    assert pruned["rec_scores"] == pytest.approx([1, 1, 1], abs=0.01)
    assert pruned["rec_polys"] == pruned["dt_polys"]
    assert pruned["dt_polys"][0] == [[32, 24], [160, 24], [160, 56], [32, 56]]
    assert pruned["rec_boxes"][0] == [32, 24, 160, 56]
    assert pruned["text_det_params"]["thresh"] == RULE.threshold
    assert pruned["textline_orientation_angles"] == [-1, -1, -1]


def test_the_answer_says_what_read_the_document(page_gateway: Gateway) -> None:
    file = base64.b64encode(PAGE).decode()

    reply = page_gateway.post("/ocr", json={"file": file, "fileType": 1, "visualize": False})

    assert reply.headers["x-model"] == "pages:p1"


def test_pages_of_a_pdf_have_a_result_each(page_gateway: Gateway) -> None:
    pdf = image_pdf([draw_page(["1", "2"]), draw_page(["3", "4"])], dpi=100)

    _, answer = ask(page_gateway, file=base64.b64encode(pdf).decode(), fileType=0, visualize=False)

    info = answer["result"]["dataInfo"]
    assert (info["type"], info["numPages"], len(info["pages"])) == ("pdf", 2, 2)
    assert [list(each) for each in answer["result"]["ocrResults"]] == [["prunedResult"]] * 2


def test_a_pdf_is_one_by_the_rule_of_our_own_route(page_gateway: Gateway) -> None:
    pdf = b"\n" + image_pdf([draw_page(["1"])], dpi=100)
    file = base64.b64encode(pdf).decode()

    status, answer = ask(page_gateway, file=file, fileType=0, visualize=False)
    as_image, _ = ask(page_gateway, file=file, fileType=1)

    assert (status, as_image) == (200, 422)
    assert answer["result"]["dataInfo"]["type"] == "pdf"


def test_more_pages_than_may_be_are_refused(page_gateway: Gateway) -> None:
    pdf = image_pdf([draw_page(["1"])] * 4, dpi=100)

    status, answer = ask(page_gateway, file=base64.b64encode(pdf).decode(), fileType=0)

    assert (status, answer["errorCode"]) == (413, 413)
    assert (
        answer["errorMsg"]
        == "More than 3 pages: send fewer at once, or say which at /v1/ocr?pages="
    )


def test_of_more_than_ten_pages_the_first_ten_are_read(tmp_path: Path) -> None:
    pdf = image_pdf([draw_page(["1"])] * 12, dpi=100)

    with serving_pages(tmp_path, OCRLINE_MAX_PAGES="11") as gateway:
        _, answer = ask(gateway, file=base64.b64encode(pdf).decode(), fileType=0, visualize=False)

    assert answer["result"]["dataInfo"]["numPages"] == 10


def test_lines_below_the_threshold_are_found_and_not_read(page_gateway: Gateway) -> None:
    _, answer = ask(page_gateway, textRecScoreThresh=1.0, visualize=False)

    pruned = answer["result"]["ocrResults"][0]["prunedResult"]
    assert len(pruned["dt_polys"]) == len(TEXTS)
    assert len(pruned["rec_texts"]) == sum(score >= 1 for score in pruned["rec_scores"])
    assert pruned["text_rec_score_thresh"] == 1.0


def test_a_threshold_that_is_named_overrules_that_of_the_pipeline(shelf: Shelf) -> None:
    shelf.add_pages("p1", DIGITS, min_confidence=0.9)
    shelf.registry.promote("pages", "p1", reason="first")
    file = base64.b64encode(encode_png(draw_page(TEXTS, unsure=[1]))).decode()

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        own, every, none = (
            ask(gateway, file=file, visualize=False, textRecScoreThresh=threshold)[1]["result"][
                "ocrResults"
            ][0]["prunedResult"]
            for threshold in (None, 0, 1)
        )

    assert (own["text_rec_score_thresh"], own["rec_texts"]) == (0.9, ["2026", "9"])
    assert own["dt_polys"] == [*own["rec_polys"], every["rec_polys"][1]]
    assert (every["text_rec_score_thresh"], len(every["rec_texts"])) == (0, 3)
    assert every["rec_scores"][1] < 0.9
    assert (every["rec_texts"][0], every["rec_texts"][2]) == ("2026", "9")  # in reading order
    assert len(none["dt_polys"]) == len(none["textline_orientation_angles"]) == 3


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"file": "https://example.org/page.png"}, 422, "file: addresses are not fetched"),
        ({"fileType": ...}, 422, "fileType: expected 0 (PDF) or 1 (image)"),
        ({"fileType": 0}, 422, "fileType: 0 is not what the file is"),
        ({"fileType": 7}, 422, "fileType"),
        ({"file": ...}, 422, "file: Field required"),
        ({"useDocUnwarping": True}, 422, "useDocUnwarping: not done by this server"),
        ({"returnWordBox": True}, 422, "returnWordBox: not done by this server"),
        ({"textDetThresh": 0.9}, 422, "textDetThresh: 0.9 is not the model's 0.5"),
        ({"textRecScoreThresh": 2}, 422, "textRecScoreThresh"),
        ({"file": "%%"}, 400, "file is no base64"),
        ({"file": base64.b64encode(b"junk").decode()}, 422, ""),
    ],
)
def test_what_is_not_done_or_wrong_is_refused(
    page_gateway: Gateway, fields: dict[str, Any], status: int, said: str
) -> None:
    found, answer = ask(page_gateway, **fields)

    assert (found, answer["errorCode"]) == (status, status)
    assert answer["logId"]
    assert "result" not in answer
    message = answer["errorMsg"]
    if status == 422:  # PaddleX's clients parse it
        (detail,) = json.loads(message)
        assert detail.keys() == {"type", "loc", "msg"}
        message = detail["msg"]
        assert detail["loc"] == ["body", *(name for name in fields if message.startswith(name))]
    assert said in message


def test_what_the_model_does_anyway_may_be_asked_for(page_gateway: Gateway) -> None:
    status, _ = ask(page_gateway, textDetThresh=RULE.threshold, useDocUnwarping=False)

    assert status == 200


def test_it_says_that_it_is_healthy(page_gateway: Gateway) -> None:
    answer = page_gateway.get("/health").json()

    assert (answer["errorCode"], answer["errorMsg"]) == (0, "Healthy")
