from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.serving.browser import running_chromium, watch_console
from tests.serving.gateway import Gateway


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, page_gateway: Gateway) -> Iterator[Page]:
    """A page that must not complain of anything."""
    with chromium.new_context() as context:
        page = context.new_page()
        complaints = watch_console(page)
        page.goto(page_gateway.url)
        expect(page.locator("#served")).to_have_text("pages, version p1")
        yield page
        assert complaints == []
