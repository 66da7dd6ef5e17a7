"""Synthetic pages: any number, each by its index alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ocr.dataset.pages.region import Region
from ocr.image.pixels import Image
from ocr.synthesis.fonts import Font, choose_fonts, find_fonts, missing_characters
from ocr.synthesis.pages.camera import View, photograph_sheet
from ocr.synthesis.pages.invoices import paint_invoice
from ocr.synthesis.pages.meters import paint_meter
from ocr.synthesis.pages.sheet import Pen, Sheet
from ocr.synthesis.pages.stationery import choose_stationery, press_stamp
from ocr.synthesis.pages.words import CHINESE, ENGLISH, METER, alphabet_of

PageKind = Literal["invoice", "meter"]
CHINESE_SHARE = 0.25  # of invoices, where there is a font for them
STAMPED_SHARE = 0.25
VIEWS: dict[PageKind, View] = {
    "invoice": View(turn_deg=1.2, lean=0.03, surroundings=0.06, scanned_share=0.4),
    "meter": View(turn_deg=3, lean=0.05, surroundings=0.12, scanned_share=0.0),
}


@dataclass(frozen=True)
class RenderedPage:
    """One page, (H, W, 3) BGR, and every text on it with the quad a person would draw."""

    image: Image
    regions: tuple[Region, ...]
    source: str


@dataclass(frozen=True)
class PageSynthesis:
    """All that decides what the page of an index looks like."""

    kinds: tuple[PageKind, ...]
    fonts: tuple[Font, ...]
    has_chinese: bool
    strength: float
    seed: int

    def page(self, index: int) -> RenderedPage:
        """Render the page of an index; the same for the same seed, fonts and parameters."""
        rng = random.Random(f"{self.seed}/{index}")  # noqa: S311 - pictures, not secrets
        kind = self.kinds[index % len(self.kinds)]
        sheet = self._paint_invoice(rng) if kind == "invoice" else self._paint_meter(rng)
        image, quads = photograph_sheet(sheet, view=VIEWS[kind], strength=self.strength, rng=rng)
        regions = tuple(
            Region(polygon=tuple((float(x), float(y)) for x, y in quad), text=text)
            for quad, (_, text) in zip(quads, sheet.texts, strict=True)
        )
        return RenderedPage(image=image, regions=regions, source=f"synthesis:{kind}")

    def _paint_invoice(self, rng: random.Random) -> Sheet:
        is_chinese = self.has_chinese and rng.random() < CHINESE_SHARE
        words = CHINESE if is_chinese else ENGLISH
        sheet = paint_invoice(choose_stationery(words, fonts=self.fonts, rng=rng), rng=rng)
        if self.strength > 0 and rng.random() < STAMPED_SHARE:
            press_stamp(sheet, rng=rng)
        return sheet

    def _paint_meter(self, rng: random.Random) -> Sheet:
        fonts = choose_fonts(self.fonts, alphabet_of(METER), rng=rng, style="plain")
        return paint_meter(Pen(fonts, size_px=1), rng=rng)


def open_pages(
    *, kinds: Sequence[PageKind], font_folders: Sequence[Path], strength: float, seed: int
) -> PageSynthesis:
    """Find the fonts that pages are drawn with.

    Args:
        kinds: What is drawn, one after another.
        font_folders: Searched for fonts besides the system's.
        strength: 0 gives clean pages, 1 what phones and scanners see.
        seed: Decides, with a page's index, all that is on it.

    Raises:
        BadInput: A folder that is not there.
    """
    fonts = find_fonts(font_folders)
    has_chinese = not missing_characters(fonts, alphabet_of(CHINESE))
    return PageSynthesis(tuple(kinds), fonts, has_chinese, strength=strength, seed=seed)
