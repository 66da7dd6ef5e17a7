"""Forms: labels with values somebody filled in, on lines or in boxes, and boxes to tick."""

import random
from dataclasses import dataclass

from ocr.synthesis.pages.sheet import Align, Box, Sheet
from ocr.synthesis.pages.stationery import TALLEST_PX, Stationery, draw_logo
from ocr.synthesis.pages.words import draw_day, draw_price, draw_text

LEFT_BLANK = 0.1


@dataclass(frozen=True)
class _Field:
    """Where one field goes, and how: its label above the value or to the left of it."""

    label: str
    role: str
    left: float
    right: float
    label_width: float
    is_above: bool
    is_boxed: bool


def paint_form(look: Stationery, *, rng: random.Random) -> Sheet:
    """Paint a form that somebody filled in.

    Args:
        look: How its papers look.
        rng: Decides the layout and what is said.
    """
    sheet = Sheet(width_px=rng.randint(560, 760), height_px=TALLEST_PX, paper=look.paper)
    y = _head(sheet, look, y=rng.randint(24, 50), rng=rng)
    if rng.random() < 0.4:
        y += look.step_px * 3 // 2
        sheet.write(draw_text(look.words, "section", rng=rng), x=look.margin_px, y=y, pen=look.body)
    y = _fields(sheet, look, y=y + look.step_px, rng=rng)
    for question in rng.sample(look.words["choice"], rng.randint(1, 2)):
        y = _choices(sheet, look, question.split("|"), y=y + look.step_px, rng=rng)
    if rng.random() < 0.6:
        y += look.step_px * 2
        sheet.write(draw_text(look.words, "note", rng=rng), x=look.margin_px, y=y, pen=look.body)
    sheet.cut(y + rng.randint(24, 90))
    return sheet


def _head(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> int:
    """The title, with a logo or a line; returns where it ends."""
    align: Align = "centre" if rng.random() < 0.5 else "left"
    x = sheet.width_px / 2 if align == "centre" else look.margin_px
    title = draw_text(look.words, "form", rng=rng)
    room = sheet.width_px - 2 * look.margin_px
    pen = look.title.sized(look.title.size_px * min(1, 0.97 * room / look.title.width(title)))
    if rng.random() < 0.3:
        size = 2 * look.step_px
        draw_logo(sheet, x=look.margin_px, y=y, size_px=size, ink=look.accent, rng=rng)
        y += size + look.step_px // 2
    y += pen.cap_px
    sheet.write(title, x=x, y=y, pen=pen, align=align)
    if rng.random() < 0.5:
        y += look.step_px
        sides = (look.margin_px, sheet.width_px - look.margin_px)
        sheet.rule((sides[0], y), (sides[1], y), ink=look.accent, width_px=rng.randint(1, 4))
    return y


def _fields(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> int:
    """Some fields in one column or two; returns where they end."""
    chosen = [field.split("|") for field in look.words["field"]]
    chosen = rng.sample(chosen, rng.randint(6, min(10, len(chosen))))
    label_width = max(look.body.width(label + look.colon) for label, _ in chosen)
    columns, is_above, is_boxed = rng.choice((1, 2)), rng.random() < 0.4, rng.random() < 0.5
    between = 2 * look.body.size_px
    wide = (sheet.width_px - 2 * look.margin_px - (columns - 1) * between) / columns
    longest = max(look.filled.width("0" * 16), look.body.width("0" * 16))
    if wide < longest or (not is_above and wide < label_width + longest + between):
        columns, wide = 1, sheet.width_px - 2.0 * look.margin_px
    high = round(look.step_px * (2.6 if is_above else rng.uniform(1.2, 1.5)))
    for place, (label, role) in enumerate(chosen):
        row, column = divmod(place, columns)
        left = look.margin_px + column * (wide + between)
        field = _Field(label, role, left, left + wide, label_width, is_above, is_boxed)
        _write_field(sheet, look, field, y=y + row * high, high=high, rng=rng)
    return y + -(-len(chosen) // columns) * high


def _write_field(
    sheet: Sheet, look: Stationery, field: _Field, *, y: int, high: int, rng: random.Random
) -> None:
    """A label and its value, in a strip of the sheet that begins at y."""
    size, pad = look.body.size_px, look.body.size_px // 2
    label_at = y + look.body.cap_px + size // 4
    bottom = label_at + round(1.9 * size) + 8 if field.is_above else y + high - max(size // 3, 5)
    baseline = bottom - max(size // 2, 8)
    start = field.left if field.is_above else field.left + field.label_width + size
    label_at = label_at if field.is_above else baseline
    sheet.write(field.label + look.colon, x=field.left, y=label_at, pen=look.body)
    if field.is_boxed:
        top = baseline - round(1.3 * size)
        sheet.frame(Box(round(start), top, round(field.right), bottom), ink=look.rules)
    else:
        sheet.rule((start, bottom), (field.right, bottom), ink=look.rules)
    if rng.random() < LEFT_BLANK:
        return
    value = _draw_value(look, field.role, rng=rng)
    room = field.right - start - 2 * pad
    pen = look.filled.sized(look.filled.size_px * min(1, room / look.filled.width(value)))
    sheet.write(value, x=start + pad, y=baseline, pen=pen)


def _draw_value(look: Stationery, role: str, *, rng: random.Random) -> str:
    if role == "day":
        return draw_day(rng)
    if role == "price_value":
        return f"{draw_price(rng):,.2f}"
    return draw_text(look.words, role, rng=rng)


def _choices(
    sheet: Sheet, look: Stationery, answers: list[str], *, y: int, rng: random.Random
) -> int:
    """Answers with a box to tick before each; returns their baseline."""
    pen, side = look.body, look.body.cap_px
    baseline, x, ticked = y + side, look.margin_px, rng.randrange(len(answers))
    for place, answer in enumerate(answers):
        square = Box(x, baseline - side, x + side, baseline)
        sheet.frame(square, ink=look.rules)
        if place == ticked:
            inner = ((x + 2, baseline - side + 2), (x + side - 3, baseline - 3))
            crossed = ((inner[0][0], inner[1][1]), (inner[1][0], inner[0][1]))
            for line in (inner, crossed):
                sheet.rule(*line, ink=look.filled.ink, width_px=2)
        after = x + side + round(0.6 * pen.size_px)
        sheet.write(answer, x=after, y=baseline, pen=pen)
        x = round(after + pen.width(answer) + rng.uniform(1.5, 3) * pen.size_px)
    return baseline
