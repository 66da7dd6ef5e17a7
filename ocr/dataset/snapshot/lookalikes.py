"""Characters of a dataset that a person cannot tell apart, or not see, but a model must."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain

from ocr.dataset.labels.text_rule import CountingRule, normalise

# Of UAX #44, table 14: what a circle, a fraction or a superscript is made of looks otherwise.
_ALIKE_TAGS = frozenset(["", "<compat>", "<font>", "<narrow>", "<noBreak>", "<small>", "<wide>"])
_COMBINING = range(0x0300, 0x0370)
_VARIATION_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
# Letters and signs with nothing to look at: Hangul fillers, the Braille pattern without a dot.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")


@dataclass(frozen=True)
class Lookalike:
    """A character that looks like another, or like nothing.

    Attributes:
        character: The character.
        count: How often it is in the texts.
        beside: The character it looks like, which is in the texts too; empty: none.
        beside_count: How often that is.
    """

    character: str
    count: int
    beside: str = ""
    beside_count: int = 0

    def describe(self) -> str:
        """Name it and its twin by code point, with counts."""
        name = unicodedata.name(self.character, "private use").lower()
        said = f"{_code(self.character)} {name} {_times(self.count)}"
        if not self.beside:
            return said
        return f"{said}, beside {_code(self.beside)} {_times(self.beside_count)}"


@dataclass(frozen=True)
class Replacement:
    """A character of labels that a rule wrote as another.

    Attributes:
        character: The character.
        count: How often it was in the labels.
        written: What it became.
    """

    character: str
    count: int
    written: str

    def describe(self) -> str:
        """Name both by code point, with the count."""
        written = " ".join(map(_code, self.written))
        return f"{_code(self.character)} as {written} {_times(self.count)}"


def count_characters(texts: Iterable[str]) -> Counter[str]:
    """Count how often each character is in the texts."""
    return Counter(chain.from_iterable(texts))


def find_lookalikes(counts: Counter[str]) -> tuple[Lookalike, ...]:
    """Find the look-alikes among the characters of texts, by code point.

    These are spaces but the usual one, accents apart from their letter, private use and characters
    without any width, and characters that Unicode calls a form of another one in the texts.
    """
    found = []
    for character in sorted(counts):
        if character.isascii():
            continue
        twin = _twin(character, counts)
        if twin or _is_hidden(character):
            found.append(Lookalike(character, counts[character], twin, counts[twin]))
    return tuple(found)


def list_replaced(rule: CountingRule) -> tuple[Replacement, ...]:
    """List the characters that a rule replaced so far, by code point."""
    counts = sorted(rule.replaced.items())
    return tuple(Replacement(each, count, normalise(each, rule.form)) for each, count in counts)


def _twin(character: str, known: Collection[str]) -> str:
    """Another of the known characters that it looks like; empty: none."""
    if unicodedata.category(character) == "Zs":
        return " " if " " in known else ""
    tag, _, target = f" {unicodedata.decomposition(character)}".rpartition(" ")
    twin = chr(int(target, 16)) if target else ""
    return twin if tag.strip() in _ALIKE_TAGS and twin in known else ""


def _is_hidden(character: str) -> bool:
    """Whether it is a space, an accent or nothing to look at."""
    if unicodedata.category(character) in ("Zs", "Cf", "Co"):
        return True
    number = ord(character)
    return number in _COMBINING or number in _VARIATION_SELECTORS or character in _BLANK


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
