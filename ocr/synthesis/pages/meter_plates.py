"""Meter faces: a counter or a display with its unit, between the lines of a nameplate."""

import random
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.lines.meters import DISPLAYS
from ocr.synthesis.pages.sheet import Box, Pen, Sheet
from ocr.synthesis.pages.words import Words, draw_text
from ocr.synthesis.scene import Colour, fit_glyph, gray, near
from ocr.synthesis.segments import draw_segments

# BGR of the face and of its ink: white, grey, cream and blue enamel, black, brass.
FACES: tuple[tuple[Colour, Colour], ...] = (
    (gray(235), gray(25)),
    (gray(205), gray(30)),
    ((205, 230, 240), gray(25)),
    ((120, 75, 40), gray(240)),
    (gray(45), gray(235)),
    ((110, 170, 190), (20, 30, 45)),
)


def paint_meter(words: Words, *, pen: Pen, rng: random.Random) -> Sheet:
    """Paint the face of a meter: a reading and its unit, a title, a serial number, ratings.

    Args:
        words: `words.METER`.
        pen: Has a font for each of their characters; size and ink are chosen here.
        rng: Decides the layout and what is said.
    """
    face, ink = rng.choice(FACES)
    sheet = Sheet(
        width_px=rng.randint(580, 820), height_px=1000, paper=near(face, rng=rng, spread=10)
    )
    size = rng.randint(24, 32)
    ink = near(ink, rng=rng, spread=12)
    pen = replace(pen, ink=ink, size_px=size, stroke_px=rng.choice((0, 0, 1)))
    margin, gap = rng.randint(36, 64), rng.randint(20, 48)
    title = draw_text(words, "title", rng=rng)
    unit = "kWh" if "ELECTRIC" in title or "PHASE" in title else "m3"
    y = _head(sheet, words, title, y=margin, pen=pen.sized(size * rng.uniform(1.1, 1.6)), rng=rng)
    if rng.random() < 0.7:
        y = _counter(sheet, words, unit, y=y + gap, pen=pen, rng=rng)
        y = _nameplate(sheet, words, y=y + gap, pen=pen, margin_px=margin, rng=rng)
    else:
        y = _nameplate(sheet, words, y=y + gap, pen=pen, margin_px=margin, rng=rng)
        y = _counter(sheet, words, unit, y=y + gap, pen=pen, rng=rng)
    sheet.cut(y + margin + rng.choice((0, 0, rng.randint(0, 100))))
    _rim(sheet, inset_px=margin // 3, ink=ink, rng=rng)
    return sheet


def _rim(sheet: Sheet, *, inset_px: int, ink: Colour, rng: random.Random) -> None:
    """A line around the face and its screws."""
    right, bottom = sheet.width_px - inset_px, sheet.height_px - inset_px
    if rng.random() < 0.5:
        sheet.frame(Box(inset_px, inset_px, right, bottom), ink=ink, width_px=rng.randint(1, 3))
    if rng.random() < 0.5:
        shade = gray(rng.randint(70, 190))
        for x in (inset_px, right):
            for y in (inset_px, bottom):
                cv2.circle(sheet.image, (x, y), 7, shade, cv2.FILLED, cv2.LINE_AA)


def _head(sheet: Sheet, words: Words, title: str, *, y: int, pen: Pen, rng: random.Random) -> int:
    """The title, sometimes with the maker above it; returns where it ends."""
    middle = sheet.width_px / 2
    if rng.random() < 0.6:
        large = pen.sized(pen.size_px * 1.2)
        y += large.cap_px
        sheet.write(draw_text(words, "maker", rng=rng), x=middle, y=y, pen=large, align="centre")
        y += round(pen.size_px * rng.uniform(0.35, 0.7))
    pen = pen.sized(pen.size_px * min(1, 0.85 * sheet.width_px / pen.width(title)))
    y += pen.cap_px
    sheet.write(title, x=middle, y=y, pen=pen, align="centre")
    return y


def _counter(sheet: Sheet, words: Words, unit: str, *, y: int, pen: Pen, rng: random.Random) -> int:
    """The reading, in a window, and its unit to the right of it or below; returns where it ends."""
    reading = draw_text(words, "reading", rng=rng)
    high = rng.randint(52, 84)
    cell, pad = round(high * rng.uniform(0.72, 0.95)), rng.randint(8, 16)
    wide = cell * len(reading) + 2 * pad
    is_beside = rng.random() < 0.6
    room = sheet.width_px - wide - (1.4 * pen.width("kWh") + 30 if is_beside else 0)
    left = round(room * rng.uniform(0.25, 0.6))
    window = Box(left, y, left + wide, y + high + 2 * pad)
    paint = _paint_display if rng.random() < 0.4 else _paint_drums
    paint(sheet, reading, window=window, cell_px=cell, pad_px=pad, pen=pen, rng=rng)
    pen = pen.sized(pen.size_px * rng.uniform(1, 1.4))
    if is_beside:
        bottom = window.bottom - rng.randint(pad, high // 2)
        sheet.write(unit, x=window.right + rng.randint(14, 24), y=bottom, pen=pen)
        return window.bottom
    below = window.bottom + rng.randint(12, 20) + pen.cap_px
    sheet.write(unit, x=(window.left + window.right) / 2, y=below, pen=pen, align="centre")
    return below


def _paint_drums(
    sheet: Sheet,
    reading: str,
    *,
    window: Box,
    cell_px: int,
    pad_px: int,
    pen: Pen,
    rng: random.Random,
) -> None:
    """A counter with a drum for each digit; some show the last drum in red."""
    dark = rng.random() < 0.65
    back, ink = (gray(30), gray(238)) if dark else (gray(232), gray(25))
    sheet.frame(
        window, ink=near(gray(rng.choice((15, 60, 130))), rng=rng, spread=8), width_px=cv2.FILLED
    )
    gap = rng.randint(2, 8)
    high = window.bottom - window.top - 2 * pad_px
    shading = 1 - rng.uniform(0, 0.5) * np.linspace(-1, 1, high + pad_px, dtype=np.float32) ** 4
    is_last_red = rng.random() < 0.25
    pieces = []
    for place, digit in enumerate(reading):
        left, top = window.left + pad_px + place * cell_px, window.top + pad_px // 2
        drum = sheet.image[top : top + high + pad_px, left + gap // 2 : left + cell_px - gap // 2]
        is_red = is_last_red and place == len(reading) - 1
        shade = np.array((45, 40, 170) if is_red else back, np.float32)
        drum[:] = (shade * shading[:, None, None]).astype(np.uint8)
        width = round(cell_px * 0.62)
        cover, below = fit_glyph(
            pen.fonts[digit], digit, width_px=width, height_px=high - 8, stroke_px=1
        )
        turn = rng.randint(-3, 3)
        pieces.append((cover, left + (cell_px - cover.shape[1]) // 2, top + 8 + below + turn))
    sheet.imprint(pieces, text=reading, ink=gray(238) if is_last_red and dark else ink)


def _paint_display(
    sheet: Sheet,
    reading: str,
    *,
    window: Box,
    cell_px: int,
    pad_px: int,
    pen: Pen,
    rng: random.Random,
) -> None:
    """A seven-segment display."""
    back, lit = rng.choice(DISPLAYS)
    sheet.frame(window, ink=near(back, rng=rng, spread=12), width_px=cv2.FILLED)
    sheet.frame(window, ink=pen.ink, width_px=rng.randint(1, 3))
    high = window.bottom - window.top - 2 * pad_px
    thickness, slant = rng.choice((0.1, 0.13, 0.16)), rng.choice((0.0, 0.1))
    pieces = []
    for place, digit in enumerate(reading):
        cover = draw_segments(
            digit,
            width_px=round(cell_px * 0.75),
            height_px=high,
            thickness=thickness,
            slant=slant,
        )
        left = window.left + pad_px + place * cell_px + round(cell_px * 0.12)
        pieces.append(_inked(cover, left=left, top=window.top + pad_px))
    sheet.imprint(pieces, text=reading, ink=near(lit, rng=rng, spread=12))


def _inked(cover: NDArray[np.uint8], *, left: int, top: int) -> tuple[NDArray[np.uint8], int, int]:
    """Cut a piece of ink to the columns and rows that have any."""
    x, y, width, height = cv2.boundingRect(cover)
    return cover[y : y + height, x : x + width], left + x, top + y


def _nameplate(
    sheet: Sheet, words: Words, *, y: int, pen: Pen, margin_px: int, rng: random.Random
) -> int:
    """The serial number and some ratings, in one column or two; returns where they end."""
    ratings = ("type", "volts", "amps", "hertz", "class", "year", "flow")
    texts = [draw_text(words, role, rng=rng) for role in rng.sample(ratings, rng.randint(1, 5))]
    texts.insert(rng.randint(0, 1), draw_text(words, "serial", rng=rng))
    columns = rng.choice((1, 2, 2))
    room = (sheet.width_px - 2 * margin_px) / columns
    pen = pen.sized(pen.size_px * min(1, 0.9 * room / max(pen.width(text) for text in texts)))
    step = round(pen.size_px * rng.uniform(1.4, 1.9))
    baseline = y + pen.cap_px
    for place, text in enumerate(texts):
        row, column = divmod(place, columns)
        sheet.write(text, x=margin_px + column * room, y=baseline + row * step, pen=pen)
    return baseline + (len(texts) - 1) // columns * step
