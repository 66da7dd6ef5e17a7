"""Synthetic pages: any number, each by its index alone."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region
from ocr.errors import BadInput
from ocr.synthesis.font_set import FontSet
from ocr.synthesis.fonts import find_fonts, font_fingerprint
from ocr.synthesis.pages.camera import View, photograph_sheet
from ocr.synthesis.pages.forms import paint_form
from ocr.synthesis.pages.invoices import paint_invoice
from ocr.synthesis.pages.meter_plates import paint_meter
from ocr.synthesis.pages.sheet import Pen, Sheet
from ocr.synthesis.pages.stationery import choose_stationery, press_stamp
from ocr.synthesis.pages.words import CHINESE, ENGLISH, METER, Words, characters_of

PageKind = Literal["invoice", "form", "meter"]
RENDERER = 2  # to be raised when the same seed would draw other pages
CHINESE_SHARE = 0.25  # of invoices and forms, where there is a font for them
STAMPED_SHARE = 0.25
PAPERS = {"invoice": paint_invoice, "form": paint_form}
VIEWS: dict[PageKind, View] = {
    "invoice": View(turn_deg=1.2, lean=0.03, surroundings=0.06, scanned_share=0.4),
    "form": View(turn_deg=1.2, lean=0.03, surroundings=0.06, scanned_share=0.5),
    "meter": View(turn_deg=3, lean=0.05, surroundings=0.12, scanned_share=0.0),
}


@dataclass(frozen=True)
class RenderedPage:
    """One page, (H, W, 3) BGR, and every text on it with the quad a person would draw."""

    image: NDArray[np.uint8]
    regions: tuple[Region, ...]
    source: str


@dataclass(frozen=True)
class PageSynthesis:
    """All that decides what the page of an index looks like; `fingerprint` is its digest."""

    kinds: tuple[PageKind, ...]
    fonts: FontSet
    has_chinese: bool
    strength: float
    seed: int
    fingerprint: str

    def page(self, index: int) -> RenderedPage:
        """Render the page of an index; the same for the same seed, fonts and parameters."""
        rng = random.Random(f"{self.seed}/{index}")  # noqa: S311 - pictures, not secrets
        kind = self.kinds[index % len(self.kinds)]
        sheet = self._paint_meter(rng) if kind == "meter" else self._paint_paper(kind, rng)
        image, quads = photograph_sheet(sheet, view=VIEWS[kind], strength=self.strength, rng=rng)
        regions = tuple(
            Region(polygon=tuple((float(x), float(y)) for x, y in quad), text=text)
            for quad, (_, text) in zip(quads, sheet.texts, strict=True)
        )
        return RenderedPage(image=image, regions=regions, source=f"synthesis:{kind}")

    def _paint_meter(self, rng: random.Random) -> Sheet:
        alphabet = characters_of(METER)
        fonts = self.fonts.choose(alphabet, rng=rng, style="plain")
        pen = Pen(fonts=dict(zip(alphabet, fonts, strict=True)), size_px=1)
        return paint_meter(METER, pen=pen, rng=rng)

    def _paint_paper(self, kind: Literal["invoice", "form"], rng: random.Random) -> Sheet:
        is_chinese = self.has_chinese and rng.random() < CHINESE_SHARE
        words = CHINESE if is_chinese else ENGLISH
        sheet = PAPERS[kind](choose_stationery(words, fonts=self.fonts, rng=rng), rng=rng)
        if self.strength > 0 and rng.random() < STAMPED_SHARE:
            press_stamp(sheet, rng=rng)
        return sheet


def open_page_synthesis(
    kinds: Sequence[PageKind], *, seed: int, font_folders: Sequence[Path], strength: float
) -> PageSynthesis:
    """Find the fonts that pages are drawn with.

    Args:
        kinds: What is drawn, one after another.
        seed: Decides, with a page's index, all that is on it.
        font_folders: Searched for fonts besides the system's.
        strength: 0 gives clean pages; 1 what phones and scanners see; at most 2.

    Raises:
        BadInput: No kind, a strength that is not allowed, or a folder that is not there.
    """
    if not kinds:
        raise BadInput("Page synthesis has nothing to draw: name kinds of pages")
    if not 0 <= strength <= 2:
        raise BadInput(f"Page synthesis strength is {strength}, allowed is 0 (clean) to 2")
    parts = [f"pages {RENDERER}", *kinds, str(seed), str(strength), font_fingerprint(font_folders)]
    fonts = FontSet(find_fonts(font_folders))
    return PageSynthesis(
        kinds=tuple(kinds),
        fonts=fonts,
        has_chinese=_can_write(CHINESE, fonts),
        strength=strength,
        seed=seed,
        fingerprint=hashlib.sha256("\n".join(parts).encode()).hexdigest(),
    )


def _can_write(words: Words, fonts: FontSet) -> bool:
    try:
        fonts.require(characters_of(words))
    except BadInput:
        return False
    return True
