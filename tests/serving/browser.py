"""The system's Chromium, headless; nothing is downloaded for it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PATIENCE_MS = 60_000
"""A page is read and drawn on whatever else is tested."""


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start Chromium; skip the test where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def watch_console(page: Page) -> list[str]:
    """Return a list that fills with what the page complains of."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    return complaints
