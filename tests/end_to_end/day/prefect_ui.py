"""What a person does in Prefect's UI, in Chromium."""

from contextlib import suppress
from typing import Any

from playwright.sync_api import Locator, Page, expect

PATIENCE_MS = 120_000
MOST_CLICKS = 6


class PrefectUi:
    """The UI of a server, after the login."""

    def __init__(self, page: Page, url: str, *, login: str) -> None:
        """Open it and log in."""
        self.page = page
        self._url = f"{url}/v2"
        page.set_default_timeout(PATIENCE_MS)
        page.goto(self._url)
        page.locator("input[type=password]").fill(login)
        page.keyboard.press("Enter")
        expect(page.get_by_text("Active Work Pools")).to_be_visible(timeout=PATIENCE_MS)

    def open_form(self, deployment: str) -> None:
        """Open the form that starts a deployment, by the deployment's id."""
        self.page.goto(f"{self._url}/deployments/deployment/{deployment}/run")
        expect(self.page.get_by_role("button", name="Submit")).to_be_visible(timeout=PATIENCE_MS)

    def fill(self, **fields: Any) -> None:
        """Fill fields in, by their titles in small letters with _ between words."""
        for name, value in fields.items():
            title = name.replace("_", " ").title()
            self.page.get_by_label(f"{title} (Optional)").or_(
                self.page.get_by_label(title, exact=True)
            ).first.fill(str(value))

    def submit(self) -> None:
        """Start the run; a click that the page was not ready for is made again."""
        button = self.page.get_by_role("button", name="Submit")
        for _ in range(MOST_CLICKS):
            button.click()
            with suppress(AssertionError):
                return expect(button).to_be_hidden(timeout=PATIENCE_MS / MOST_CLICKS)
        raise TimeoutError("the form is not taken")

    def open_run(self, run: str) -> None:
        """Look at a run."""
        self.page.goto(f"{self._url}/runs/flow-run/{run}")
        expect(self.page.get_by_role("tab", name="Logs")).to_be_visible(timeout=PATIENCE_MS)

    def look_away(self) -> None:
        """Leave the page: one that shows a run is drawn anew all the time, by the processor."""
        self.page.goto("about:blank")

    def open_question(self) -> None:
        """Open the form of a run that waits for a person."""
        self.page.get_by_role("button", name="Open menu").first.click()
        self.page.get_by_role("menuitem", name="Resume").click()
        expect(self._form).to_be_visible(timeout=PATIENCE_MS)

    def answer(self, *, decision: str, name: str, reason: str) -> None:
        """Fill it in."""
        self._form.get_by_role("button", name="Select").click()
        self.page.get_by_role("option", name=decision).click()
        texts = self._form.locator("textarea")
        texts.nth(0).fill(name)
        texts.nth(1).fill(reason)

    def send_answer(self) -> None:
        """Send it."""
        self._form.get_by_role("button", name="Resume").click()
        expect(self._form).to_be_hidden(timeout=PATIENCE_MS)

    @property
    def _form(self) -> Locator:
        return self.page.get_by_role("dialog")
