"""The texts of a page and where they stand, ready to be written to a file of any format."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ocr.image.cropping import UPRIGHT_ASPECT

Corners = tuple[complex, complex, complex, complex]
"""Corners x + yj in pixels of the page, clockwise from where reading begins."""

_BREAKS: Final = re.compile("[\t-\r\x85\u2028\u2029]")
_UNWRITABLE: Final = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a line, or the whole text of a line whose words are not known.

    Attributes:
        text: What it reads, as `writable` leaves it; never empty.
        corners: Where it stands.
        confidence: Mean probability of its characters, 0 to 1.
        spaced: Whether a space, or the end of the line, parts it from the next word.
    """

    text: str
    corners: Corners
    confidence: float
    spaced: bool


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page.

    Attributes:
        words: In reading order; at least one.
        corners: Where it stands.
    """

    words: tuple[PlacedWord, ...]
    corners: Corners


def place_lines(page: Mapping[str, Any]) -> list[PlacedLine]:
    """Return the lines of a page that have anything to write, in reading order.

    Args:
        page: As `serving.rest.documents.answer.PageAnswer` says; a line may have `words`, each
            with a `text`, a `confidence` and a `polygon` of four corners (x, y), in reading order.
    """
    lines = (_place(line) for line in page["lines"])
    return [line for line in lines if line.words]


def writable(text: str) -> str:
    """Return a text without what neither XML 1.0 nor a PDF viewer takes as text.

    Line breaks and tabs become spaces; other control characters, lone surrogates, U+FFFE and
    U+FFFF are dropped.
    """
    return _UNWRITABLE.sub("", _BREAKS.sub(" ", text)).strip()


def _place(line: Mapping[str, Any]) -> PlacedLine:
    is_upright = _is_upright(line)
    words, rest = [], line["text"]
    for word in line.get("words") or (line,):
        _, found, after = rest.partition(word["text"])
        rest = after if found else rest
        if text := writable(word["text"]):
            spaced = not found or not after or after[0].isspace()
            corners = _corners(word["polygon"], is_upright)
            words.append(PlacedWord(text, corners, word["confidence"], spaced))
    return PlacedLine(tuple(words), _corners(line["polygon"], is_upright))


def _is_upright(line: Mapping[str, Any]) -> bool:
    """Whether it was laid on its side to be read, as `ocr.image.cropping.crop_line` does."""
    along, down = _sides(_complex(line["polygon"]))
    return len(line["text"]) > 1 and abs(down) >= UPRIGHT_ASPECT * abs(along)


def _sides(corners: Corners) -> tuple[complex, complex]:
    first, second, third, fourth = corners
    return (second - first + third - fourth) / 2, (fourth - first + third - second) / 2


def _corners(polygon: Sequence[Sequence[float]], is_upright: bool) -> Corners:
    """Reading of an upright line begins at its top, which was laid to the left."""
    first, second, third, fourth = _complex(polygon)
    return (second, third, fourth, first) if is_upright else (first, second, third, fourth)


def _complex(polygon: Sequence[Sequence[float]]) -> Corners:
    first, second, third, fourth = (complex(x, y) for x, y in polygon)
    return first, second, third, fourth
