"""Invoices: who sells to whom, a table of goods with what they cost, and totals."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2

from ocr.synthesis.pages.sheet import Align, Box, Pen, Sheet
from ocr.synthesis.pages.stationery import TALLEST_PX, Stationery, draw_logo
from ocr.synthesis.pages.words import draw_day, draw_price, draw_text
from ocr.synthesis.scene import gray

MOST_TEXTS = 40
COUNTS = (10, 12, 15, 20, 24, 36, 48, 60, 100)  # one digit alone is taken for upright text
_AFTER_TABLE = 7  # texts: three totals with their labels, and a word of thanks


@dataclass(frozen=True)
class _Column:
    heading: str
    texts: Sequence[str]
    align: Align
    left: float
    right: float

    @property
    def x(self) -> float:
        return self.left if self.align == "left" else self.right


def paint_invoice(look: Stationery, *, rng: random.Random) -> Sheet:
    """Paint an invoice.

    Args:
        look: How its company's papers look.
        rng: Decides the layout and what is said.
    """
    sheet = Sheet(width_px=rng.randint(560, 760), height_px=TALLEST_PX, paper=look.paper)
    gap = rng.randint(look.step_px // 2, round(1.6 * look.step_px))
    y = _head(sheet, look, y=rng.randint(24, 50), rng=rng)
    y = _details(sheet, look, y=y + gap, rng=rng)
    y, amounts = _goods(sheet, look, y=y + gap, rng=rng)
    y = _totals(sheet, look, amounts, y=y + gap // 2, rng=rng)
    if rng.random() < 0.6:
        y += gap + look.step_px
        thanks = draw_text(look.words, "thanks", rng=rng)
        sheet.write(thanks, x=sheet.width_px / 2, y=y, pen=look.body, align="centre")
    sheet.cut(y + rng.randint(24, 90))
    return sheet


def _head(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> int:
    """Company, address, title and logo, to the left or in the middle; returns where they end."""
    align: Align = "centre" if rng.random() < 0.4 else "left"
    x = sheet.width_px / 2 if align == "centre" else look.margin_px
    if rng.random() < 0.5:
        size = round(look.step_px * rng.uniform(1.5, 2.6))
        left = rng.choice((look.margin_px, sheet.width_px - look.margin_px - size))
        draw_logo(sheet, x=left, y=y, size_px=size, ink=look.accent, rng=rng)
        y += size + look.step_px // 2
    company = draw_text(look.words, "company", rng=rng)
    title = draw_text(look.words, "invoice", rng=rng)
    pen = _fitted(look.title, company, room_px=sheet.width_px - 2 * look.margin_px)
    y += pen.cap_px
    sheet.write(company, x=x, y=y, pen=pen, align=align)
    for role in rng.choice((("address",), ("address", "city"), ("address", "city", "phone"))):
        y += look.step_px
        sheet.write(draw_text(look.words, role, rng=rng), x=x, y=y, pen=look.body, align=align)
    pen = _fitted(look.title, title, room_px=sheet.width_px - 2 * look.margin_px)
    y += look.step_px + pen.cap_px
    sheet.write(title, x=x, y=y, pen=pen, align=align)
    return y


def _details(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> int:
    """The customer to the left, number and dates to the right or below; returns where they end."""
    words, left = look.words, look.margin_px
    buyer = [draw_text(words, role, rng=rng) for role in ("bill_to", "person", "address")]
    pairs = [
        (draw_text(words, "number", rng=rng), draw_text(words, "number_value", rng=rng)),
        (draw_text(words, "date", rng=rng), draw_day(rng)),
        (draw_text(words, "due", rng=rng), draw_day(rng)),
    ][: rng.randint(2, 3)]
    baseline = y + look.body.cap_px
    buyer_width = max(look.body.width(text) for text in buyer)
    pairs_width = sum(
        max(look.body.width(text) for text in side) for side in zip(*pairs, strict=True)
    )
    pairs_width += 3 * look.body.size_px
    is_beside = left * 2 + buyer_width + pairs_width < sheet.width_px - 2 * look.body.size_px
    for place, text in enumerate(buyer):
        sheet.write(text, x=left, y=baseline + place * look.step_px, pen=look.body)
    start = sheet.width_px - left - pairs_width if is_beside else left
    first = baseline + (0 if is_beside else len(buyer) * look.step_px + look.step_px // 2)
    end = write_pairs(sheet, look, pairs, x=start, y=first, right=start + pairs_width, rng=rng)
    return max(end, baseline + (len(buyer) - 1) * look.step_px)


def write_pairs(
    sheet: Sheet,
    look: Stationery,
    pairs: Sequence[tuple[str, str]],
    *,
    x: float,
    y: int,
    right: float,
    rng: random.Random,
) -> int:
    """Write labels with their values: as one text, or apart in two columns.

    Args:
        sheet: Where to.
        look: How.
        pairs: Label and value of each line.
        x: Where labels begin.
        y: The first baseline.
        right: Where values end where they are set to the right.
        rng: Decides which.

    Returns:
        The last baseline.
    """
    pen, how = look.body, rng.choice(("joined", "left", "right"))
    values_at = x + max(pen.width(label + look.colon) for label, _ in pairs) + 1.5 * pen.size_px
    for place, (label, value) in enumerate(pairs):
        baseline = y + place * look.step_px
        if how == "joined":
            sheet.write(f"{label}{look.colon or ':'} {value}", x=x, y=baseline, pen=pen)
            continue
        sheet.write(label + look.colon, x=x, y=baseline, pen=pen)
        if how == "left":
            sheet.write(value, x=values_at, y=baseline, pen=pen)
        else:
            sheet.write(value, x=right, y=baseline, pen=pen, align="right")
    return y + (len(pairs) - 1) * look.step_px


def _goods(
    sheet: Sheet, look: Stationery, *, y: int, rng: random.Random
) -> tuple[int, list[float]]:
    """The table; returns its last baseline and the amounts in it."""
    words = look.words
    has_price = rng.random() < 0.7
    columns = 4 if has_price else 3
    room = (MOST_TEXTS - _AFTER_TABLE - len(sheet.texts)) // columns - 1
    rows = rng.randint(2, max(min(room, 7), 2))
    prices = [draw_price(rng) for _ in range(rows)]
    counts = [rng.choice(COUNTS) for _ in range(rows)]
    amounts = [price * count for price, count in zip(prices, counts, strict=True)]
    sides: list[tuple[str, list[str], Align]] = [
        ("item", [draw_text(words, "goods", rng=rng) for _ in range(rows)], "left"),
        ("quantity", [str(count) for count in counts], "right"),
        ("price", [f"{price:,.2f}" for price in prices], "right"),
        ("amount", [f"{amount:,.2f}" for amount in amounts], "right"),
    ]
    if not has_price:
        del sides[2]
    headed = [(draw_text(words, role, rng=rng), texts, align) for role, texts, align in sides]
    pen = look.body
    table, pen = _set_columns(headed, left=look.margin_px, width=sheet.width_px, pen=pen, rng=rng)
    end = _write_table(sheet, look, table, y=y, pen=pen, rng=rng)
    return end, amounts


def _set_columns(
    sides: Sequence[tuple[str, Sequence[str], Align]],
    *,
    left: int,
    width: int,
    pen: Pen,
    rng: random.Random,
) -> tuple[list[_Column], Pen]:
    """Divide the width among the columns; the pen becomes smaller where they need more."""
    room = width - 2 * left
    between = 1.5 * pen.size_px
    need = [max(pen.width(text) for text in (heading, *texts)) for heading, texts, _ in sides]
    least = sum(need) + between * (len(need) - 1)
    if least > room:
        smaller = pen.sized(pen.size_px * room / least * 0.97)
        return _set_columns(sides, left=left, width=width, pen=smaller, rng=rng)
    weights = [rng.uniform(0.2, 1) for _ in need[1:]]
    spare = [between + (room - least) * weight / sum(weights) for weight in weights]
    columns, x = [], float(left)
    for (heading, texts, align), own, after in zip(sides, need, [*spare, 0.0], strict=True):
        columns.append(_Column(heading, texts, align, left=x, right=x + own))
        x += own + after
    return columns, pen


def _write_table(
    sheet: Sheet,
    look: Stationery,
    columns: Sequence[_Column],
    *,
    y: int,
    pen: Pen,
    rng: random.Random,
) -> int:
    """Write headings and rows with the lines around them; returns the last baseline."""
    ruling = rng.choice(("none", "heading", "heading", "rows", "grid", "band"))
    rows, step = len(columns[0].texts) + 1, look.step_px
    up = (step + pen.cap_px) // 2  # from a baseline to the line above its row
    baseline = y + up
    outer = Box(look.margin_px - 10, y, sheet.width_px - look.margin_px + 10, y + rows * step)
    if ruling == "band":
        band = replace(outer, bottom=y + step)
        sheet.frame(band, ink=look.accent, width_px=cv2.FILLED)
    lines = {"none": [], "band": [rows], "heading": [0, 1, rows]}.get(ruling, range(rows + 1))
    for line in lines:
        height = y + line * step
        sheet.rule((outer.left, height), (outer.right, height), ink=look.rules)
    if ruling == "grid":
        middles = [(one.right + other.left) / 2 for one, other in pairwise(columns)]
        for x in (outer.left, *middles, outer.right):
            sheet.rule((x, outer.top), (x, outer.bottom), ink=look.rules)
    head = replace(pen, ink=gray(245)) if ruling == "band" else pen
    for column in columns:
        sheet.write(column.heading, x=column.x, y=baseline, pen=head, align=column.align)
        for place, text in enumerate(column.texts, start=1):
            sheet.write(text, x=column.x, y=baseline + place * step, pen=pen, align=column.align)
    return baseline + (rows - 1) * step


def _totals(
    sheet: Sheet, look: Stationery, amounts: Sequence[float], *, y: int, rng: random.Random
) -> int:
    """Sum, tax and total, set to the right; returns the last baseline."""
    words, total = look.words, sum(amounts)
    tax = draw_text(words, "tax", rng=rng)
    share = int(tax.rstrip("%").split()[-1]) / 100
    lines = [
        (draw_text(words, "subtotal", rng=rng), total),
        (tax, total * share),
        (draw_text(words, "total", rng=rng), total * (1 + share)),
    ]
    lines = lines if rng.random() < 0.6 else [(lines[2][0], total)]
    pen, right = look.body, sheet.width_px - look.margin_px
    widest = max(pen.width(f"{amount:,.2f}") for _, amount in lines)
    between = rng.uniform(1.5, 4) * pen.size_px
    for label, amount in lines:
        y += look.step_px
        sheet.write(f"{amount:,.2f}", x=right, y=y, pen=pen, align="right")
        sheet.write(label + look.colon, x=right - widest - between, y=y, pen=pen, align="right")
    return y


def _fitted(pen: Pen, text: str, *, room_px: float) -> Pen:
    """The pen, smaller where a text would need more than there is."""
    return pen.sized(pen.size_px * min(1, 0.97 * room_px / pen.width(text)))
