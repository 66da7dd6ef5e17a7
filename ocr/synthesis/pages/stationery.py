"""How one company's papers look: pens, margins, colours, and marks without text."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from ocr.synthesis.fonts import Font, Style, choose_fonts
from ocr.synthesis.ink import INKS, PAPERS, Colour, gray, near
from ocr.synthesis.pages.sheet import Box, Pen, Sheet
from ocr.synthesis.pages.words import Words, alphabet_of, in_capitals

# BGR of logos, bands and stamps.
ACCENTS: tuple[Colour, ...] = (
    (150, 70, 20), (60, 60, 190), (70, 130, 40), gray(70), (130, 60, 110), (40, 120, 210),
)  # fmt: skip


@dataclass(frozen=True)
class Stationery:
    """What the parts of a page have in common."""

    words: Words  # what it says
    body: Pen  # writes most of it
    title: Pen  # writes its headings
    paper: Colour
    margin_px: int  # left and right of the text
    step_px: int  # from a baseline to the next
    rules: Colour  # of lines
    accent: Colour  # of bands and logos
    colon: str  # stands after a label, or is empty


def choose_stationery(words: Words, *, fonts: Sequence[Font], rng: random.Random) -> Stationery:
    """Choose how a page looks.

    Raises:
        BadInput: A character of the words that no font has.
    """
    words = in_capitals(words) if rng.random() < 0.5 else words
    size = rng.randint(16, 22)
    ink = near(rng.choice(INKS[:4]), rng=rng, spread=12)
    body, other = (_choose_pen(words, size=size, ink=ink, fonts=fonts, rng=rng) for _ in range(2))
    heading = body if rng.random() < 0.6 else other
    return Stationery(
        words=words,
        body=body,
        title=replace(heading.sized(size * rng.uniform(1.3, 2)), stroke_px=rng.choice((0, 1))),
        paper=near(rng.choice(PAPERS), rng=rng, spread=10),
        margin_px=rng.randint(24, 60),
        step_px=round(size * rng.uniform(1.65, 2.1)),
        rules=near(gray(rng.choice((30, 90, 150))), rng=rng, spread=15),
        accent=near(rng.choice(ACCENTS), rng=rng, spread=15),
        colon=rng.choice(("", ":")),
    )


def _choose_pen(
    words: Words, *, size: int, ink: Colour, fonts: Sequence[Font], rng: random.Random
) -> Pen:
    style: Style = "upright" if rng.random() < 0.9 else "any"
    chosen = choose_fonts(fonts, alphabet_of(words), rng=rng, style=style)
    return Pen(chosen, size_px=size, ink=ink, spacing_px=rng.choice((0, 0, 0, 1)))


def draw_logo(
    sheet: Sheet, *, x: int, y: int, size_px: int, ink: Colour, rng: random.Random
) -> None:
    """Draw a sign without text into the square whose left top is (x, y)."""
    middle, half = (x + size_px // 2, y + size_px // 2), size_px // 2
    shape = rng.choice(("disc", "ring", "bars", "peak"))
    if shape in ("disc", "ring"):
        thickness = cv2.FILLED if shape == "disc" else max(half // 3, 2)
        cv2.circle(sheet.image, middle, half - max(half // 6, 1), ink, thickness, cv2.LINE_AA)
    elif shape == "bars":
        for top in range(y, y + size_px - 5, max(size_px // 3, 6)):
            sheet.frame(Box(x, top, x + size_px, top + size_px // 5), ink=ink, width_px=cv2.FILLED)
    else:
        peak = np.array([(x, y + size_px), (middle[0], y), (x + size_px, y + size_px)], np.int32)
        cv2.fillPoly(sheet.image, [peak], ink, cv2.LINE_AA)


def press_stamp(sheet: Sheet, *, rng: random.Random) -> None:
    """Press a stamp without text anywhere, also over text, as people do."""
    radius = rng.randint(35, 70)
    x = rng.randint(radius, sheet.width_px - radius)
    height = len(sheet.image)
    y = rng.randint(min(radius, height // 2), max(height - radius, radius))
    inked = sheet.image.copy()
    ink = near(rng.choice(((50, 50, 200), (170, 70, 40))), rng=rng, spread=25)
    axes = (radius, round(radius * rng.choice((1, 1, 0.6))))
    turn = rng.uniform(-30, 30)
    for share in (1.0, 0.8):
        ring = (round(axes[0] * share), round(axes[1] * share))
        cv2.ellipse(inked, (x, y), ring, turn, 0, 360, ink, rng.randint(1, 3), cv2.LINE_AA)
    star = [
        (x + radius * reach * np.sin(angle), y - radius * reach * np.cos(angle))
        for angle, reach in zip(np.arange(10) * np.pi / 5, (0.35, 0.14) * 5, strict=True)
    ]
    cv2.fillPoly(inked, [np.rint(star).astype(np.int32)], ink, cv2.LINE_AA)
    share = rng.uniform(0.3, 0.65)
    sheet.image = np.asarray(cv2.addWeighted(inked, share, sheet.image, 1 - share, 0), np.uint8)
