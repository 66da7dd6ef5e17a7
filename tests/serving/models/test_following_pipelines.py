"""What the gateway does with pipelines that appear, break, or stand beside other models."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import expect

from ocr.image.pixels import encode_png
from ocr.models.gap_model import BUCKETS, GapModel
from tests.serving.browser import running_chromium
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, LETTERS, png
from tests.serving.tiny_pipeline import (
    BAR_PX,
    HEIGHT_PX,
    LEFT_PX,
    TOP_PX,
    draw_page,
    make_detector,
    page_png,
)

RAW = {"content-type": "application/octet-stream"}


def ask(gateway: Gateway, query: str = "") -> tuple[int, str, str]:
    """Return the status of a page read, and its text and version, or its error's code and words."""
    reply = gateway.post(f"/v1/ocr{query}", content=page_png("2026", "9"), headers=RAW)
    answer = reply.json()
    if reply.status_code == 200:
        return 200, answer["text"], answer["version"]
    return reply.status_code, answer["error"]["code"], answer["error"]["message"]


def test_gateway_waits_for_the_first_pipeline_and_follows_it_back(shelf: Shelf) -> None:
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        assert ask(gateway)[:2] == (503, "not_ready")

        shelf.add_pages("p1", DIGITS)
        shelf.add_pages("p2", LETTERS)
        shelf.registry.promote("pages", "p1", reason="first")
        gateway.wait_ready()
        assert ask(gateway) == (200, "2026\n9", "p1")

        shelf.registry.promote("pages", "p2", reason="better")
        gateway.wait_for("p2", name="pages")
        assert ask(gateway) == (200, "CACG\nJ", "p2")

        shelf.registry.rollback("pages", reason="worse")
        gateway.wait_for("p1", name="pages")
        assert ask(gateway) == (200, "2026\n9", "p1")


def test_pipeline_that_reads_otherwise_is_refused_and_the_old_one_goes_on(shelf: Shelf) -> None:
    shelf.add_pages("p1", DIGITS)
    shelf.add_pages("p2", DIGITS, moved_px=3)
    shelf.registry.promote("pages", "p1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        shelf.registry.promote("pages", "p2", reason="nobody looked")
        wait_until(lambda: gateway.model("pages")["last_error"], log=gateway.log)

        model = gateway.model("pages")
        assert (model["version"], model["champion"], model["is_refused"]) == ("p1", "p2", True)
        assert "line 1 ('2026') lies 3.0 px from where it was promised" in model["last_error"]
        assert ask(gateway) == (200, "2026\n9", "p1")


def test_pipeline_without_its_detector_is_refused_by_the_detectors_name(shelf: Shelf) -> None:
    shelf.add_pages("p1", DIGITS)
    shutil.rmtree(Path(shelf.store) / "models" / "pages-detector")
    shelf.registry.promote("pages", "p1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        wait_until(lambda: gateway.model("pages")["last_error"], log=gateway.log)

        assert "'pages-detector'" in gateway.model("pages")["last_error"]
        assert ask(gateway)[:2] == (503, "not_ready")


def test_detector_alone_is_not_served_and_keeps_no_other_from_serving(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    lonely = make_detector(shelf.folder / "lonely", name="lonely", version="d1")
    shelf.registry.register("lonely", "d1", lonely)
    shelf.registry.promote("lonely", "d1", reason="by mistake")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        wait_until(lambda: gateway.model("lonely")["last_error"], log=gateway.log)

        error = gateway.model("lonely")["last_error"]
        assert error == "d1 was refused: lonely:d1 does detection, which alone is not served"
        assert gateway.read(png("4"), model="bars") == ("4", "v1")
        status, code, message = ask(gateway, "?model=bars")
        assert (status, code) == (422, "wrong_task")
        assert message == "bars reads lines (/v1/recognize); models that read pages: none here"
        assert ask(gateway) == (503, "not_ready", f"lonely: {error}")


def test_request_and_page_choose_among_several_pipelines(shelf: Shelf) -> None:
    for name, characters in (("pages", DIGITS), ("forms", LETTERS)):
        shelf.add_pages("p1", characters, name=name)
        shelf.registry.promote(name, "p1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()

        status, code, message = ask(gateway)
        assert (status, code) == (400, "model_required")
        assert message.endswith("forms, pages")
        assert ask(gateway, "?model=forms") == (200, "CACG\nJ", "p1")
        with running_chromium() as browser:
            page = browser.new_page()
            page.goto(gateway.url)
            page.get_by_label("Model").select_option("forms")
            page.set_input_files(
                "#file", {"name": "a.png", "mimeType": "image/png", "buffer": page_png("2026")}
            )
            expect(page.locator("#lines .text")).to_have_text(["CACG"])


def test_copies_of_a_pipeline_and_its_parts_are_swept_together(shelf: Shelf) -> None:
    for version in ("p1", "p2", "p3"):
        shelf.add_pages(version, DIGITS)
    shelf.registry.promote("pages", "p1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        for version in ("p2", "p3"):
            shelf.registry.promote("pages", version, reason="next")
            gateway.wait_for(version, name="pages")
        copies = shelf.folder / "home" / "serving"

        def kept() -> list[str]:
            parts = copies.glob("*/pages/*/*")
            return sorted(f"{part.parent.name}/{part.name}" for part in parts)

        expected = [
            f"{version}/{part}"
            for version in ("p2", "p3")
            for part in ("detector", "pipeline", "recogniser")
        ]
        wait_until(lambda: kept() == expected, log=gateway.log)


def test_a_cascade_answers_from_its_second_recogniser_and_says_of_how_many_lines(
    shelf: Shelf,
) -> None:
    shelf.add_pages("p1", LETTERS, second=DIGITS)
    shelf.registry.promote("pages", "p1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        page = gateway.post("/v1/ocr", content=page_png("2034", "34"), headers=RAW).json()["pages"][
            0
        ]

        assert [line["text"] for line in page["lines"]] == ["2034", "34"]
        assert page["reread"] == 2
        assert gateway.read(png("34"), model="pages") == ("34", "p1")
        assert 'ocrline_reread_lines_total{model="pages"} 2.0' in gateway.get("/metrics").text


def test_lines_are_parted_where_the_detector_is_unsure_of_text(shelf: Shelf) -> None:
    everywhere = GapModel(np.ones(BUCKETS, dtype=np.float32), 0.5)
    shelf.add_pages("p1", "01 3456789", gaps=everywhere)
    shelf.registry.promote("pages", "p1", reason="first")
    page = draw_page(["1324", "1324"])  # 2 reads as a space
    left_px = LEFT_PX + 2 * 2 * BAR_PX
    page[TOP_PX : TOP_PX + HEIGHT_PX, left_px : left_px + BAR_PX, 0] += (
        2  # less grey, less like text
    )

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        answer = gateway.post(
            "/v1/ocr", content=encode_png(page), params={"words": "true"}, headers=RAW
        )

        lines = answer.json()["pages"][0]["lines"]
        assert [line["text"] for line in lines] == ["13", "4", "13 4"]
        (_, _, right, _), (next_left, _, _, _) = (box_of(line) for line in lines[:2])
        assert right < next_left
        assert [box_of(word) for line in lines[:2] for word in line["words"]] == [
            box_of(line) for line in lines[:2]
        ]


def test_lines_that_are_rather_no_text_are_set_aside(shelf: Shelf) -> None:
    shelf.add_pages("p1", "0123456789", min_confidence=0.9)
    shelf.registry.promote("pages", "p1", reason="first")
    page = encode_png(draw_page(["1324", "5678", "90"], unsure=[1]))

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        answer = gateway.post("/v1/ocr", content=page, headers=RAW).json()

        (read,) = answer["pages"]
        assert [line["text"] for line in read["lines"]] == ["1324", "90"]
        assert answer["text"] == "1324\n90"
        assert all(line["confidence"] >= 0.9 for line in read["lines"])
        (aside,) = read["set_aside"]
        assert aside["text"]
        assert aside["confidence"] < 0.9
        assert box_of(aside)[1] > box_of(read["lines"][0])[3]
        told = gateway.get("/metrics").text
        assert 'ocrline_lines_total{model="pages"} 2.0' in told
        assert 'ocrline_confidence_count{model="pages"} 3.0' in told


def box_of(found: dict[str, Any]) -> list[float]:
    """Left, top, right, bottom."""
    xs, ys = zip(*found["polygon"], strict=True)
    return [min(xs), min(ys), max(xs), max(ys)]
