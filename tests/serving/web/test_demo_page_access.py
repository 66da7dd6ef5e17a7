from pathlib import Path

import httpx
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway
from tests.serving.web.choosing import PICTURE, SHOWN, choose, choose_and_wait


def test_reading_can_be_cancelled(page: Page) -> None:
    held: list[Route] = []
    page.route("**/v1/ocr*", lambda route: held.append(route))
    with page.expect_request("**/v1/ocr*"):
        choose(page)

    page.get_by_role("button", name="Cancel").click()

    expect(page.locator("#status")).to_have_text("Cancelled.")
    expect(page.locator("#progress")).to_be_hidden()
    held[0].abort()


def test_everything_is_done_with_the_keyboard_alone(page: Page) -> None:
    picture: FilePayload = {"name": "bars.png", "mimeType": "image/png", "buffer": PICTURE}
    # Told before the first key: a key pressed right after may overtake it in the browser.
    page.on("filechooser", lambda chooser: chooser.set_files(picture))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#file")).to_be_focused()

    page.keyboard.press("Space")
    expect(page.locator("#result-title")).to_be_focused()

    for _ in range(3):  # copy, download, the list
        page.keyboard.press("Tab")
    expect(page.locator("#lines button").nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")

    expect(page.locator("#lines button").nth(1)).to_be_focused()
    expect(page.locator("#boxes polygon").nth(1)).to_have_class("current")
    expect(page.locator("#tip")).to_have_text("2026 – 100 %")
    page.keyboard.press("End")
    expect(page.locator("#lines button").nth(2)).to_be_focused()


def test_screen_reader_hears_names_roles_and_progress(page: Page) -> None:
    choose_and_wait(page)

    assert page.locator("[role=status]").count() == 1
    assert page.locator("[role=alert]").count() == 1
    expect(page.get_by_label("Choose an image or a PDF")).to_have_id("file")
    expect(page.get_by_role("region", name="bars.png")).to_be_visible()
    expect(page.get_by_role("list", name="Lines in reading order")).to_be_visible()
    expect(page.get_by_role("img", name="Page 1; its 3 lines are listed beside it")).to_be_visible()
    nameless = page.get_by_role("button").evaluate_all(
        "all => all.filter(one => !(one.ariaLabel || one.labels?.length || one.textContent.trim()))"
        ".length"
    )
    assert nameless == 0


def test_dropped_and_pasted_files_are_read(page: Page) -> None:
    for event in ("drop", "paste"):
        page.evaluate(
            """([event, bytes]) => {
              const carried = new DataTransfer();
              carried.items.add(new File([new Uint8Array(bytes)], `${event}ed.png`));
              const options = { bubbles: true, cancelable: true };
              document.body.dispatchEvent(event === "drop"
                ? new DragEvent("drop", { ...options, dataTransfer: carried })
                : new ClipboardEvent("paste", { ...options, clipboardData: carried }));
            }""",
            [event, list(PICTURE)],
        )

        expect(page.locator("#result-title")).to_have_text(f"{event}ed.png")
        expect(page.locator("#lines .text")).to_have_text(SHOWN)


def test_page_asks_for_the_token_and_keeps_it_in_memory_only(
    chromium: Browser, tmp_path: Path
) -> None:
    with (
        serving_pages(tmp_path, OCRLINE_TOKEN="s3cret") as gateway,
        chromium.new_context() as context,
    ):
        page = context.new_page()
        page.goto(gateway.url)
        expect(page.get_by_label("This gateway asks for a token")).to_be_focused()
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("The gateway does not know this token.")
        page.keyboard.type("s3cret")
        page.keyboard.press("Enter")
        expect(page.locator("#token-form")).to_be_hidden()
        choose_and_wait(page)

        expect(page.locator("#lines .text")).to_have_text(SHOWN)
        kept = page.evaluate(
            "JSON.stringify([localStorage, sessionStorage]) + document.cookie + location.href"
        )
        assert "s3cret" not in kept
        page.reload()
        expect(page.get_by_label("This gateway asks for a token")).to_be_visible()


def test_nothing_but_the_gateway_is_asked_for_anything(
    chromium: Browser, page_gateway: Gateway
) -> None:
    asked: list[str] = []
    with chromium.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_gateway.url)
        choose_and_wait(page)

    elsewhere = [url for url in asked if not url.startswith((page_gateway.url, "data:", "blob:"))]
    assert elsewhere == []


def test_policy_of_the_page_allows_no_inline_script(page_gateway: Gateway) -> None:
    policies = {
        path: httpx.get(f"{page_gateway.url}{path}").headers["content-security-policy"]
        for path in ("/", "/page/page.js", "/v1/models")
    }

    assert "script-src 'self'" in policies["/"]
    assert "unsafe" not in policies["/"]
    assert policies["/"] == policies["/page/page.js"]
    assert policies["/v1/models"].startswith("default-src 'none'")
    assert "script-src" not in policies["/v1/models"]
