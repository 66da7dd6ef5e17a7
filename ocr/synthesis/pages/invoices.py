"""Invoices: who sells to whom, a table of goods with what they cost, and totals."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2

from ocr.synthesis.ink import gray
from ocr.synthesis.pages.sheet import Align, Box, Sheet
from ocr.synthesis.pages.stationery import Stationery, draw_logo
from ocr.synthesis.pages.words import draw_day, draw_price, draw_text

TALLEST_PX = 1600  # sheets are cut where their text ends
MOST_TEXTS = 40
COUNTS = (10, 12, 15, 20, 24, 36, 48, 60, 100)  # one digit alone is taken for upright text
_AFTER_TABLE = 7  # texts: three totals with their labels, and a word of thanks


@dataclass(frozen=True)
class _Column:
    """Texts of a table, the heading first, and where they stand."""

    texts: Sequence[str]
    align: Align
    left: float = 0
    right: float = 0


def paint_invoice(look: Stationery, *, rng: random.Random) -> Sheet:
    """Paint an invoice; `rng` decides the layout and what is said."""
    sheet = Sheet(width_px=rng.randint(560, 760), height_px=TALLEST_PX, paper=look.paper)
    gap = rng.randint(look.step_px // 2, round(1.6 * look.step_px))
    y = _head(sheet, look, y=rng.randint(24, 50), rng=rng)
    y = _details(sheet, look, y=y + gap, rng=rng)
    y, total = _goods(sheet, look, y=y + gap, rng=rng)
    y = _totals(sheet, look, total, y=y + gap // 2, rng=rng)
    if rng.random() < 0.6:
        y += gap + look.step_px
        thanks = draw_text(look.words, "thanks", rng=rng)
        sheet.write(thanks, x=sheet.width_px / 2, y=y, pen=look.body, align="centre")
    sheet.image = sheet.image[: y + rng.randint(24, 90)]
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
    room = 0.97 * (sheet.width_px - 2 * look.margin_px)
    pen = look.title.fitted(company, room_px=room)
    y += pen.cap_px
    sheet.write(company, x=x, y=y, pen=pen, align=align)
    for role in rng.choice((("address",), ("address", "city"), ("address", "city", "phone"))):
        y += look.step_px
        sheet.write(draw_text(look.words, role, rng=rng), x=x, y=y, pen=look.body, align=align)
    pen = look.title.fitted(title, room_px=room)
    y += look.step_px + pen.cap_px
    sheet.write(title, x=x, y=y, pen=pen, align=align)
    return y


def _details(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> int:
    """The customer to the left, number and dates to the right or below; returns where they end."""
    words, pen, left = look.words, look.body, look.margin_px
    buyer = [draw_text(words, role, rng=rng) for role in ("bill_to", "person", "address")]
    pairs = [
        (draw_text(words, "number", rng=rng), draw_text(words, "number_value", rng=rng)),
        (draw_text(words, "date", rng=rng), draw_day(rng)),
        (draw_text(words, "due", rng=rng), draw_day(rng)),
    ][: rng.randint(2, 3)]
    widths = [max(map(pen.width, side)) for side in (buyer, *zip(*pairs, strict=True))]
    pairs_width = widths[1] + widths[2] + 3 * pen.size_px
    is_beside = left * 2 + widths[0] + pairs_width < sheet.width_px - 2 * pen.size_px
    y += pen.cap_px
    for place, text in enumerate(buyer):
        sheet.write(text, x=left, y=y + place * look.step_px, pen=pen)
    end = y + (len(buyer) - 1) * look.step_px
    x = sheet.width_px - left - pairs_width if is_beside else left
    y += 0 if is_beside else len(buyer) * look.step_px + look.step_px // 2
    align: Align | None = rng.choice((None, "left", "right"))
    values_at = x + max(pen.width(label + look.colon) for label, _ in pairs) + 1.5 * pen.size_px
    for place, (label, value) in enumerate(pairs):
        at = y + place * look.step_px
        if align is None:
            sheet.write(f"{label}{look.colon or ':'} {value}", x=x, y=at, pen=pen)
            continue
        sheet.write(label + look.colon, x=x, y=at, pen=pen)
        values_x = values_at if align == "left" else x + pairs_width
        sheet.write(value, x=values_x, y=at, pen=pen, align=align)
    return max(end, y + (len(pairs) - 1) * look.step_px)


def _goods(sheet: Sheet, look: Stationery, *, y: int, rng: random.Random) -> tuple[int, float]:
    """The table; returns its last baseline and the sum of the amounts in it."""
    roles: list[str] = ["item", "quantity", "price", "amount"]
    if rng.random() >= 0.7:
        roles.remove("price")
    room = (MOST_TEXTS - _AFTER_TABLE - len(sheet.texts)) // len(roles) - 1
    rows = rng.randint(2, max(min(room, 7), 2))
    prices = [draw_price(rng) for _ in range(rows)]
    counts = [rng.choice(COUNTS) for _ in range(rows)]
    amounts = [price * count for price, count in zip(prices, counts, strict=True)]
    texts = {
        "item": [draw_text(look.words, "goods", rng=rng) for _ in range(rows)],
        "quantity": [str(count) for count in counts],
        "price": [_money(price) for price in prices],
        "amount": [_money(amount) for amount in amounts],
    }
    columns = [
        _Column(
            [draw_text(look.words, role, rng=rng), *texts[role]],
            "left" if role == "item" else "right",
        )
        for role in roles
    ]
    columns, look = _set_columns(columns, look, width=sheet.width_px, rng=rng)
    return _write_table(sheet, look, columns, y=y, rng=rng), sum(amounts)


def _set_columns(
    columns: Sequence[_Column], look: Stationery, *, width: int, rng: random.Random
) -> tuple[list[_Column], Stationery]:
    """Divide the width among the columns; the look's pen becomes smaller where they need more."""
    pen = look.body
    room = width - 2 * look.margin_px
    between = 1.5 * pen.size_px
    need = [max(map(pen.width, column.texts)) for column in columns]
    least = sum(need) + between * (len(need) - 1)
    if least > room:
        smaller = pen.sized(pen.size_px * room / least * 0.97)
        return _set_columns(columns, replace(look, body=smaller), width=width, rng=rng)
    weights = [rng.uniform(0.2, 1) for _ in need[1:]]
    spare = [between + (room - least) * weight / sum(weights) for weight in weights]
    placed, x = [], float(look.margin_px)
    for column, own, after in zip(columns, need, [*spare, 0.0], strict=True):
        placed.append(replace(column, left=x, right=x + own))
        x += own + after
    return placed, look


def _write_table(
    sheet: Sheet, look: Stationery, columns: Sequence[_Column], *, y: int, rng: random.Random
) -> int:
    """Write headings and rows with the lines around them; returns the last baseline."""
    ruling = rng.choice(("none", "heading", "heading", "rows", "grid", "band"))
    rows, step, pen = len(columns[0].texts), look.step_px, look.body
    outer = Box(look.margin_px - 10, y, sheet.width_px - look.margin_px + 10, y + rows * step)
    if ruling == "band":
        sheet.frame(replace(outer, bottom=y + step), ink=look.accent, width_px=cv2.FILLED)
    lines = {"none": [], "band": [rows], "heading": [0, 1, rows]}.get(ruling, range(rows + 1))
    for height in (y + line * step for line in lines):
        sheet.rule((outer.left, height), (outer.right, height), ink=look.rules)
    if ruling == "grid":
        middles = [(one.right + other.left) / 2 for one, other in pairwise(columns)]
        for x in (outer.left, *middles, outer.right):
            sheet.rule((x, outer.top), (x, outer.bottom), ink=look.rules)
    head = replace(pen, ink=gray(245)) if ruling == "band" else pen
    baseline = y + (step + pen.cap_px) // 2
    for column in columns:
        x = column.left if column.align == "left" else column.right
        for place, text in enumerate(column.texts):
            at, own = baseline + place * step, pen if place else head
            sheet.write(text, x=x, y=at, pen=own, align=column.align)
    return baseline + (rows - 1) * step


def _totals(sheet: Sheet, look: Stationery, total: float, *, y: int, rng: random.Random) -> int:
    """Sum, tax and total, set to the right; returns the last baseline."""
    tax = draw_text(look.words, "tax", rng=rng)
    share = int(tax.rstrip("%").split()[-1]) / 100
    lines = [
        (draw_text(look.words, "subtotal", rng=rng), total),
        (tax, total * share),
        (draw_text(look.words, "total", rng=rng), total * (1 + share)),
    ]
    lines = lines if rng.random() < 0.6 else [(lines[2][0], total)]
    pen, right = look.body, sheet.width_px - look.margin_px
    widest = max(pen.width(_money(amount)) for _, amount in lines)
    labels_end = right - widest - rng.uniform(1.5, 4) * pen.size_px
    for label, amount in lines:
        y += look.step_px
        sheet.write(_money(amount), x=right, y=y, pen=pen, align="right")
        sheet.write(label + look.colon, x=labels_end, y=y, pen=pen, align="right")
    return y


def _money(amount: float) -> str:
    return f"{amount:,.2f}"
