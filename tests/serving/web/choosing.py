"""What the tests of the page at / share."""

from playwright.sync_api import Page, expect

from ocr.image.pixels import encode_png
from tests.serving.tiny_pipeline import draw_page

TEXTS = ["0123456789", "2026", "777"]


UNSURE = 2


PICTURE = encode_png(draw_page(TEXTS, unsure=[UNSURE]))


SHOWN = ["0123456789", "2026", "666"]  # an unsure 7 is a 6 as well


PHONE = {"width": 390, "height": 800}


SIZES = [{"width": 1200, "height": 800}, PHONE]


def choose(page: Page, content: bytes = PICTURE, *, name: str = "bars.png") -> None:
    page.set_input_files(
        "#file", {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def choose_and_wait(page: Page, content: bytes = PICTURE, *, name: str = "bars.png") -> None:
    choose(page, content, name=name)
    expect(page.locator("#result")).to_be_visible()
