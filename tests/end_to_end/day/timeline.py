"""What happened in a day, with a picture of each step."""

import time
from pathlib import Path

from playwright.sync_api import Page


class Timeline:
    """Prints each step as it happens; pictures are numbered as the steps are."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._began = time.monotonic()
        self._steps = 0
        print(f"\npictures in {folder}")  # noqa: T201 - what `make day` shows

    def tell(self, what: str, page: Page | None = None) -> None:
        """Print a step and keep what the page shows."""
        self._steps += 1
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        shown = ""
        if page is not None:
            shown = f"{self._steps:02}-{'-'.join(what.lower().split()[:4])}.png"
            page.screenshot(path=self._folder / shown)
        print(f"{minutes:3}:{seconds:02}  {what:<72} {shown}", flush=True)  # noqa: T201 - what `make day` shows
