"""The page at /, used by a real browser on a real gateway."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.ocr.image.documents import encrypted_pdf, image_pdf
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_pipeline import draw_page
from tests.serving.web.choosing import PICTURE, SHOWN, SIZES, UNSURE, choose, choose_and_wait


@pytest.mark.parametrize("size", SIZES, ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_before_during_and_after(page: Page, tmp_path: Path, size: Any, scheme: Any) -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    held: list[Route] = []
    page.route("**/v1/ocr*", lambda route: held.append(route))

    page.screenshot(path=tmp_path / "before.png")
    with page.expect_request("**/v1/ocr*"):
        choose(page)
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator("#status")).to_have_text("Reading bars.png …")
    page.screenshot(path=tmp_path / "during.png")
    held[0].continue_()
    expect(page.locator("#progress")).to_be_hidden()
    page.locator("#boxes polygon").nth(1).hover()
    page.screenshot(path=tmp_path / "after.png", full_page=True)

    expect(page.locator("#status")).to_have_text("Found 3 lines with pages, version p1.")
    expect(page.locator("#boxes polygon")).to_have_count(3)
    expect(page.locator("#lines .text")).to_have_text(SHOWN)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= size["width"]  # nothing to scroll sideways


def test_boxes_lie_over_the_lines_of_the_picture(page: Page) -> None:
    choose_and_wait(page)

    picture = page.locator("#picture").bounding_box()
    box = page.locator("#boxes polygon").nth(1).bounding_box()
    assert picture is not None
    assert box is not None
    scale = picture["width"] / 640
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    found = ((middle[0] - picture["x"]) / scale, (middle[1] - picture["y"]) / scale)
    assert found == pytest.approx((96, 104), abs=1)


def test_what_is_set_aside_is_seen_and_is_no_line(
    chromium: Browser, shelf: Shelf, tmp_path: Path
) -> None:
    shelf.add_pages("p1", "0123456789", min_confidence=0.9)
    shelf.registry.promote("pages", "p1", reason="first")
    with (
        running_gateway(shelf.folder / "home", store=shelf.store) as gateway,
        chromium.new_context() as context,
    ):
        gateway.wait_ready()
        page = context.new_page()
        page.goto(gateway.url)
        choose_and_wait(page)
        page.locator("#boxes polygon").nth(2).hover()
        page.screenshot(path=tmp_path / "aside.png", full_page=True)

        expect(page.locator("#status")).to_have_text("Found 2 lines with pages, version p1.")
        expect(page.locator("#summary")).to_contain_text("2 lines · 1 set aside (dotted)")
        expect(page.locator("#lines .text")).to_have_text(SHOWN)
        expect(page.locator("#lines .aside .confidence")).to_contain_text("set aside")
        expect(page.locator("#boxes .aside")).to_have_count(1)
        expect(page.locator("#boxes .unsure")).to_have_count(0)


def test_hover_over_a_box_tells_its_text_and_marks_its_line(page: Page) -> None:
    choose_and_wait(page)

    page.locator("#boxes polygon").nth(1).hover()

    expect(page.locator("#tip")).to_have_text("2026 – 100 %")
    expect(page.locator("#lines button").nth(1)).to_have_class("current")
    page.mouse.move(0, 0)
    expect(page.locator("#tip")).to_be_hidden()
    expect(page.locator(".current")).to_have_count(0)


def test_hover_over_a_line_marks_its_box(page: Page) -> None:
    choose_and_wait(page)

    page.locator("#lines button").nth(0).hover()

    expect(page.locator("#boxes polygon").nth(0)).to_have_class("current")
    expect(page.locator("#tip")).to_have_text("0123456789 – 100 %")


def test_click_on_a_box_goes_to_its_line(page: Page) -> None:
    choose_and_wait(page)

    page.locator("#boxes polygon").nth(1).click()

    expect(page.locator("#lines button").nth(1)).to_be_focused()


def test_unsure_line_is_marked_in_words_too(page: Page) -> None:
    choose_and_wait(page)

    expect(page.locator("#boxes polygon.unsure")).to_have_count(1)
    expect(page.locator("#lines button").nth(UNSURE)).to_contain_text("% · check")
    expect(page.locator("#summary")).to_contain_text("3 lines · 1 to check")


def test_copy_all_copies_every_line(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose_and_wait(page)

    page.get_by_role("button", name="Copy all").click()

    expect(page.locator("#status")).to_have_text("Copied all lines.")
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(SHOWN)


def test_copy_works_where_the_browser_grants_no_clipboard(page: Page) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate(
        "document.addEventListener('copy', () => { window.copied = String(getSelection()) "
        "|| document.activeElement.value })"
    )
    choose_and_wait(page)

    page.get_by_role("button", name="Copy all").click()

    expect(page.locator("#status")).to_have_text("Copied all lines.")
    assert page.evaluate("window.copied") == "\n".join(SHOWN)


def test_json_is_downloaded_without_the_picture(page: Page, tmp_path: Path) -> None:
    choose_and_wait(page, name="two.words.png")

    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()

    assert download.value.suggested_filename == "two.words.json"
    download.value.save_as(tmp_path / "answer.json")
    answer = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert answer["text"] == "\n".join(SHOWN)
    assert "image" not in answer["pages"][0]
    assert answer["pages"][0]["lines"][1]["polygon"][0] == [32, 88]


def test_pages_of_a_pdf_are_turned(page: Page) -> None:
    pdf = image_pdf([draw_page(["1"]), draw_page(["22", "333"])], dpi=200)

    choose_and_wait(page, pdf, name="two.pdf")

    expect(page.locator("#page-number")).to_have_text("Page 1 of 2")
    expect(page.get_by_role("button", name="Previous page")).to_be_disabled()
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#page-number")).to_have_text("Page 2 of 2")
    expect(page.locator("#lines .text")).to_have_text(["22", "333"])
    expect(page.locator("#boxes polygon")).to_have_count(2)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("notes.txt", b"hello", "notes.txt was not read. Page 1: not an image"),
        ("secret.pdf", encrypted_pdf(), "The PDF is encrypted: send it without a password"),
        ("empty.png", b"", "The body is empty"),
        ("half.png", PICTURE[:200], "Page 1: truncated"),
    ],
)
def test_bad_file_is_refused_in_words_and_the_next_one_read(
    chromium: Browser, page_gateway: Gateway, name: str, content: bytes, words: str
) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(page_gateway.url)

        choose(page, content, name=name)

        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(page.locator("#progress")).to_be_hidden()
        choose_and_wait(page)
        expect(page.get_by_role("alert")).to_be_empty()
