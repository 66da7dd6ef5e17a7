from pathlib import Path

import cv2
import numpy as np
import pytest

from bench.serve.raw_client import RawClient, post
from ocr.image.pixels import encode_png
from serving.metrics import ServingMetrics
from serving.problems import Problem
from serving.rest.budget import Budget
from tests.serving.conftest import serving_pages
from tests.serving.gateway import wait_until
from tests.serving.rest.test_capacity import PNG
from tests.serving.tiny_bundle import draw
from tests.serving.tiny_pipeline import draw_page

PIXELS = draw("2026")[..., 0].size


def noisy_jpeg(side_px: int) -> bytes:
    """Make a small file of an image that is large in any other quality."""
    noise = np.random.default_rng(7).integers(0, 256, (side_px, side_px, 3)).astype(np.uint8)
    return cv2.imencode(".jpg", noise, [cv2.IMWRITE_JPEG_QUALITY, 20])[1].tobytes()


def test_what_was_taken_is_given_back_however_it_ends() -> None:
    metrics = ServingMetrics()
    budget = Budget(10, unit="pixels", held=metrics.pixels)

    for _ in range(3):
        with budget.account() as mine, budget.account() as other:
            mine.take(6)
            other.take(4)
            with pytest.raises(Problem, match="pixels of all requests together"):
                mine.take(1)
            assert "ocrline_pixels 10.0" in metrics.render().decode()

    assert "ocrline_pixels 0.0" in metrics.render().decode()


def test_answer_with_pictures_that_is_not_taken_keeps_no_request_out(tmp_path: Path) -> None:
    variables = {"OCRLINE_BODIES_MB": "16", "OCRLINE_MAX_BODY_MB": "16"}
    page, large = noisy_jpeg(1400), encode_png(draw_page(["2026"])) + bytes(15 * 2**20)

    with (
        serving_pages(tmp_path, **variables) as gateway,
        RawClient(gateway.port, receive_buffer=4096) as idle,
    ):
        idle.send(post("/v1/ocr?render=true&annotate=true", length=len(page)), page)
        wait_until(lambda: gateway.metric("ocrline_answer_bytes") > 2**20, log=gateway.log)
        other = gateway.post("/v1/ocr", content=large, headers=PNG)
        held = gateway.metric("ocrline_answer_bytes")

    assert held > 2**20
    assert other.json()["text"] == "2026"


def test_pictures_of_an_answer_count_until_it_is_sent(tmp_path: Path) -> None:
    page = noisy_jpeg(1400)

    with serving_pages(tmp_path, OCRLINE_BODIES_MB="2") as gateway:
        told = {
            query: gateway.post(
                f"/v1/ocr{query}", content=page, headers={"content-type": "image/*"}
            )
            for query in ("", "?render=true", "?annotate=true")
        }
        held = gateway.metric("ocrline_answer_bytes")

    assert told[""].status_code == 200
    for query in ("?render=true", "?annotate=true"):
        assert told[query].status_code == 413
        assert told[query].json()["error"]["code"] == "answer_too_large"
    assert held == 0
