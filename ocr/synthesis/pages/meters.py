"""Meter faces: a counter or a display with its unit, between the lines of a nameplate."""

import random
from dataclasses import replace
from functools import partial

import cv2

from ocr.synthesis.counters import paint_display, paint_drums
from ocr.synthesis.ink import Colour, gray, near
from ocr.synthesis.pages.sheet import Box, Pen, Sheet
from ocr.synthesis.pages.words import METER, draw_one, draw_text

TALLEST_PX = 1000  # faces are cut where their text ends
# BGR of the face and of its ink: white, grey, cream and blue enamel, black, brass.
FACES: tuple[tuple[Colour, Colour], ...] = (
    (gray(235), gray(25)), (gray(205), gray(30)), ((205, 230, 240), gray(25)),
    ((120, 75, 40), gray(240)), (gray(45), gray(235)), ((110, 170, 190), (20, 30, 45)),
)  # fmt: skip


def paint_meter(pen: Pen, *, rng: random.Random) -> Sheet:
    """Paint the face of a meter: a reading and its unit, a title, a serial number, ratings.

    The pen has a font for each character of `words.METER`; size and ink are chosen here.
    """
    face, ink = (near(colour, rng=rng, spread=10) for colour in rng.choice(FACES))
    sheet = Sheet(width_px=rng.randint(580, 820), height_px=TALLEST_PX, paper=face)
    pen = replace(pen, ink=ink, size_px=rng.randint(24, 32), stroke_px=rng.choice((0, 0, 1)))
    margin, gap = rng.randint(36, 64), rng.randint(20, 48)
    title = draw_text(METER, "title", rng=rng)
    current, flow = METER["unit"]
    unit = current if "ELECTRIC" in title or "PHASE" in title else flow
    y = _head(sheet, title, y=margin, pen=pen.sized(pen.size_px * rng.uniform(1.1, 1.6)), rng=rng)
    parts = [partial(_counter, unit=unit), partial(_nameplate, margin_px=margin)]
    for part in parts if rng.random() < 0.7 else reversed(parts):
        y = part(sheet, y=y + gap, pen=pen, rng=rng)
    sheet.image = sheet.image[: y + margin + rng.choice((0, 0, rng.randint(0, 100)))]
    _rim(sheet, inset_px=margin // 3, ink=ink, rng=rng)
    return sheet


def _head(sheet: Sheet, title: str, *, y: int, pen: Pen, rng: random.Random) -> int:
    """The title, sometimes with the maker above it; returns where it ends."""
    middle = sheet.width_px / 2
    if rng.random() < 0.6:
        large = pen.sized(pen.size_px * 1.2)
        y += large.cap_px
        sheet.write(draw_text(METER, "maker", rng=rng), x=middle, y=y, pen=large, align="centre")
        y += round(pen.size_px * rng.uniform(0.35, 0.7))
    pen = pen.fitted(title, room_px=0.85 * sheet.width_px)
    y += pen.cap_px
    sheet.write(title, x=middle, y=y, pen=pen, align="centre")
    return y


def _counter(sheet: Sheet, *, unit: str, y: int, pen: Pen, rng: random.Random) -> int:
    """The reading, in a window, and its unit to the right of it or below; returns where it ends."""
    reading = draw_text(METER, "reading", rng=rng)
    high = rng.randint(52, 84)
    if rng.random() < 0.4:
        window, ink = paint_display(reading, rng=rng, height_px=high)
    else:
        window, ink = paint_drums(reading, fonts=pen.fonts, rng=rng, height_px=high)
    height, width = map(int, ink.shape)
    pen = pen.sized(pen.size_px * rng.uniform(1, 1.4))
    is_beside = rng.random() < 0.6
    room = sheet.width_px - width - (pen.width(unit) + 30 if is_beside else 0)
    left = round(room * rng.uniform(0.25, 0.6))
    sheet.image[y : y + height, left : left + width] = window
    digits = sheet.label(ink, text=reading, left=left, top=y)
    if is_beside:
        baseline = digits.bottom - rng.randint(0, high // 2)
        sheet.write(unit, x=left + width + rng.randint(14, 24), y=baseline, pen=pen)
        return y + height
    baseline = y + height + rng.randint(12, 20) + pen.cap_px
    sheet.write(unit, x=left + width / 2, y=baseline, pen=pen, align="centre")
    return baseline


def _nameplate(sheet: Sheet, *, y: int, pen: Pen, margin_px: int, rng: random.Random) -> int:
    """The serial number and some ratings, in one column or two; returns where they end."""
    ratings = rng.sample(METER["rating"], rng.randint(1, 5))
    texts = [draw_one(rating.split("|"), rng=rng) for rating in ratings]
    texts.insert(rng.randint(0, 1), draw_text(METER, "serial", rng=rng))
    columns = rng.choice((1, 2, 2))
    room = (sheet.width_px - 2 * margin_px) / columns
    pen = pen.fitted(max(texts, key=pen.width), room_px=0.9 * room)
    step = round(pen.size_px * rng.uniform(1.4, 1.9))
    baseline = y + pen.cap_px
    for place, text in enumerate(texts):
        row, column = divmod(place, columns)
        sheet.write(text, x=margin_px + column * room, y=baseline + row * step, pen=pen)
    return baseline + (len(texts) - 1) // columns * step


def _rim(sheet: Sheet, *, inset_px: int, ink: Colour, rng: random.Random) -> None:
    """A line around the face and its screws."""
    right, bottom = sheet.width_px - inset_px, len(sheet.image) - inset_px
    if rng.random() < 0.5:
        sheet.frame(Box(inset_px, inset_px, right, bottom), ink=ink, width_px=rng.randint(1, 3))
    if rng.random() < 0.5:
        shade = gray(rng.randint(70, 190))
        for x in (inset_px, right):
            for y in (inset_px, bottom):
                cv2.circle(sheet.image, (x, y), 7, shade, cv2.FILLED, cv2.LINE_AA)
