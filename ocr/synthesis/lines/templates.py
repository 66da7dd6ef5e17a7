"""Texts to render: built-in templates, own patterns, or the lines of a corpus file."""

import random
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rstr import Rstr

from ocr.errors import BadInput

Kind = Literal["plate", "invoice", "meter", "date"]

MAX_TEXT_LENGTH = 200  # characters; wider lines than this are pages
PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
PLATE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # GA 36: no I and no O
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
GOODS = (
    "COFFEE", "WHITE BREAD", "MILK 1L", "A4 PAPER", "LED BULB 9W", "CABLE TIE", "PVC PIPE 20MM",
    "Chicken Rice", "Teh Tarik", "Mineral Water", "Notebook", "Printer Ink", "Service Charge",
)  # fmt: skip
TOTALS = ("TOTAL", "SUBTOTAL", "GRAND TOTAL", "CASH", "CHANGE", "ROUNDING", "Total Due", "GST 6%")
CURRENCIES = ("", "", "$", "RM ", "USD ", "EUR ")
# What `.`, \s and the like may stand for: no control characters, and no order that depends on
# the hash seed of the process, as rstr's own sets have.
_PRINTABLE = string.ascii_letters + string.digits + string.punctuation
_WORD = string.ascii_letters + string.digits + "_"
ALPHABETS = {
    "printable": _PRINTABLE + " ",
    "whitespace": " ",
    "nonwhitespace": _PRINTABLE,
    "nonword": "".join(c for c in _PRINTABLE if c not in _WORD),
}


@dataclass(frozen=True)
class Template:
    """One source of texts; `name` is what a sample's source says, `draw` makes a text."""

    name: str
    draw: Callable[[random.Random], str]
    kind: Kind | Literal["pattern", "corpus"]
    known_characters: str = ""


def read_templates(
    *, kinds: Sequence[Kind], patterns: Sequence[str], corpus: Path | None
) -> tuple[Template, ...]:
    """Make the sources that lines are drawn from, each as likely as another.

    Raises:
        BadInput: Nothing to draw from, a pattern that is no usable regular expression, or a
            corpus that cannot be read.
    """
    templates = [
        Template(
            name=kind,
            draw=KINDS[kind],
            kind=kind,
            known_characters=PROVINCES if kind == "plate" else "",
        )
        for kind in kinds
    ]
    templates += [_pattern_template(pattern) for pattern in patterns]
    if corpus is not None:
        templates.append(_corpus_template(corpus))
    if not templates:
        raise BadInput("Synthesis has nothing to draw: name kinds, patterns or a corpus file")
    return tuple(templates)


def _plate(rng: random.Random) -> str:
    head = rng.choice(PROVINCES) + rng.choice(PLATE_LETTERS)
    if rng.random() < 0.2:  # new energy: one character more
        return head + rng.choice("DF") + _digits(rng, 5)
    tail = list(_digits(rng, 5))
    for place in rng.sample(range(5), k=rng.choice((0, 1, 1, 2))):
        tail[place] = rng.choice(PLATE_LETTERS)
    return head + "".join(tail)


def _meter(rng: random.Random) -> str:
    whole = _digits(rng, rng.randint(5, 7))
    return f"{whole}.{_digits(rng, rng.choice((1, 2)))}" if rng.random() < 0.3 else whole


def _date(rng: random.Random) -> str:
    year, month, day = rng.randint(1990, 2035), rng.randint(1, 12), rng.randint(1, 28)
    mark = rng.choice("-/. ")
    clock = f" {rng.randint(0, 23):02}:{rng.randint(0, 59):02}" if rng.random() < 0.25 else ""
    forms = (
        f"{year}{mark}{month:02}{mark}{day:02}",
        f"{day:02}{mark}{month:02}{mark}{year}",
        f"{day:02} {MONTHS[month - 1]} {year}",
        f"{day:02}{mark}{month:02}{mark}{year % 100:02}",
        f"{year}{month:02}{day:02}",
    )
    return rng.choice(forms) + clock


def _invoice(rng: random.Random) -> str:
    amount = f"{rng.choice(CURRENCIES)}{_price(rng)}"
    lines: tuple[Callable[[], str], ...] = (
        lambda: f"{rng.choice(TOTALS)}{rng.choice((' ', ': '))}{amount}",
        lambda: f"{rng.choice(GOODS)} {rng.randint(1, 12)} x {_price(rng)}",
        lambda: f"{rng.choice(GOODS)} {amount}",
        lambda: f"{rng.choice(('INVOICE NO', 'Invoice No.', 'BILL'))}: {_digits(rng, 8)}",
        lambda: f"{rng.choice(('Date', 'DATE', 'Issued'))}: {_date(rng)}",
        lambda: f"TEL: {_digits(rng, 2)}-{_digits(rng, 4)} {_digits(rng, 4)}",
        lambda: f"GST ID: {_digits(rng, 12)}",
        lambda: f"Qty {rng.randint(1, 99)}  @ {_price(rng)}".replace("  ", " "),
        lambda: amount.strip(),
    )
    return rng.choice(lines)()


KINDS: dict[Kind, Callable[[random.Random], str]] = {
    "plate": _plate,
    "invoice": _invoice,
    "meter": _meter,
    "date": _date,
}


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.digits, k=count))


def _price(rng: random.Random) -> str:
    return f"{rng.choice((9, 99, 999, 9999)) * rng.random():,.2f}"


def _pattern_template(pattern: str) -> Template:
    if re.search(r"(?<!\\)\[\^", pattern):
        raise BadInput(f"Pattern {pattern!r} has a class of what not to draw: name what to draw")

    def draw(rng: random.Random) -> str:
        try:
            text = Rstr(rng, **ALPHABETS).xeger(pattern)
        except (re.error, ValueError, KeyError, IndexError, OverflowError, RecursionError) as error:
            raise BadInput(f"Texts cannot be drawn from pattern {pattern!r}: {error}") from error
        return _clean(text, origin=f"Pattern {pattern!r}")

    trial = "".join(draw(random.Random(seed)) for seed in range(20))  # noqa: S311 - no secret
    return Template(name="pattern", draw=draw, kind="pattern", known_characters=trial)


def _corpus_template(corpus: Path) -> Template:
    try:
        lines = corpus.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"Corpus {corpus} cannot be read as UTF-8 text: {error}") from error
    texts = [
        _clean(line, origin=f"{corpus}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not texts:
        raise BadInput(f"Corpus {corpus} has no text: one line a text is expected")
    characters = "".join(sorted(set().union(*texts)))
    return Template(
        name="corpus",
        draw=lambda rng: rng.choice(texts),
        kind="corpus",
        known_characters=characters,
    )


def _clean(text: str, *, origin: str) -> str:
    """Compose characters (NFC), join runs of white space, refuse what cannot be a line."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not 0 < len(text) <= MAX_TEXT_LENGTH:
        raise BadInput(
            f"{origin} gave a text of {len(text)} characters, allowed are 1 to {MAX_TEXT_LENGTH}"
        )
    for character in text:
        if _needs_shaping(character):
            raise BadInput(
                f"{origin} has {character!r} (U+{ord(character):04X}): control characters, "
                "combining marks and right-to-left scripts are not rendered"
            )
    return text


def _needs_shaping(character: str) -> bool:
    return unicodedata.category(character)[0] in "MC" or (
        unicodedata.bidirectional(character) in ("R", "AL")
    )
