"""Where the words of a line stand, by the frames in which its characters were read."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np

from ocr.image.cropping import crop_corners
from ocr.image.rectangle import Corners
from ocr.reading.recognition.ctc import Recognition

Outline = tuple[complex, ...]
"""Four corners x + yj in pixels of the page, clockwise."""

WORD: Final = re.compile(r"\S+")
"""What white space parts; scripts that put none have lines of one word."""

WIDEST: Final = 1.5
"""A character beside white space is no wider than so many of the line's usual ones."""

LONE_HEIGHTS: Final = 0.6
"""So many heights of the line a character is wide where no two stand beside each other."""


@dataclass(frozen=True)
class PlacedLine:
    """A line that was read, and where it lies.

    Attributes:
        read: What it reads.
        box: (4, 2) its corners in order, in pixels of the page.
        crop_box: (4, 2) corners of what was cut out and read, as `crop_line` took them.
    """

    read: Recognition
    box: Corners
    crop_box: Corners

    @cached_property
    def cut(self) -> Outline:
        """Corners of what was read, from where the reading began."""
        return _outline(crop_corners(self.crop_box))

    @cached_property
    def turns(self) -> int:
        """Which corner of the box is where the reading begins."""
        reading = self.cut[1] - self.cut[0]
        box = _outline(self.box)
        sides = [after - corner for corner, after in zip(box, box[1:] + box[:1], strict=True)]
        along = [(side * reading.conjugate()).real / max(abs(side), 1e-6) for side in sides]
        return along.index(max(along))

    @cached_property
    def corners(self) -> Outline:
        """The corners of the box from where the reading begins."""
        box = _outline(self.box)
        return box[self.turns :] + box[: self.turns]

    @cached_property
    def aspect(self) -> float:
        """Length of the line by its height; above 0."""
        first, second, third, fourth = self.corners
        length_px = abs(second - first + third - fourth)
        height_px = abs(fourth - first + third - second)
        return max(length_px, 1.0) / max(height_px, 1.0)

    def middle(self, share: float) -> complex:
        """Return the place at a share of its length, halfway between top and bottom."""
        begin, end = _middles(self.corners)
        return begin + share * (end - begin)

    def part(self, begin: float, end: float) -> Corners:
        """Return what lies between two shares of its length, its corners as those of the box."""
        first, second, third, fourth = self.corners
        top, bottom = second - first, third - fourth
        part = (
            first + begin * top,
            first + end * top,
            fourth + end * bottom,
            fourth + begin * bottom,
        )
        back = 4 - self.turns
        corners = [(corner.real, corner.imag) for corner in part[back:] + part[:back]]
        return np.array(corners, dtype=np.float32)


@dataclass(frozen=True)
class WordPlace:
    """Which characters of a line are a word, and where it stands.

    Attributes:
        characters: Its characters among the line's.
        begin: Share of the line's length at which it begins; ``end``: at which it ends.
    """

    characters: slice
    begin: float
    end: float


@dataclass(frozen=True)
class FoundWord:
    """A word of a line.

    Attributes:
        text: What it reads.
        confidence: Mean probability of its characters, 0 to 1.
        corners: (4, 2) in pixels of the page, the first at the corner where the line's is.
    """

    text: str
    confidence: float
    corners: Corners


def find_words(line: PlacedLine) -> list[FoundWord]:
    """Find the words of a line; none where nothing is known of its characters."""
    read = line.read
    return [
        FoundWord(
            text=read.text[word.characters],
            confidence=float(np.mean(read.character_confidences[word.characters])),
            corners=line.part(word.begin, word.end),
        )
        for word in place_words(line)
    ]


def place_words(line: PlacedLine) -> list[WordPlace]:
    """Find where the words of a line stand; none where nothing is known of its characters.

    A line begins and ends with its first and last character: the detector knows better.
    """
    text = line.read.text
    words = [slice(*word.span()) for word in WORD.finditer(text)]
    if not words or len(line.read.character_places) != len(text):
        return []
    begins, ends = _edges(line)
    if words[0].start == 0:
        begins[0] = 0.0
    if words[-1].stop == len(text):
        ends[len(text) - 1] = 1.0
    return [WordPlace(word, begins[word.start], ends[word.stop - 1]) for word in words]


def _edges(line: PlacedLine) -> tuple[dict[int, float], dict[int, float]]:
    """Return where the visible characters begin and end, by their places in the text.

    That is halfway to the next one. Across white space it is a quarter of the way, as white space
    may stand anywhere in it, and not further than a character reaches. All are shares of the
    line's length, 0 to 1.
    """
    places = enumerate(zip(line.read.text, _middles_of(line), strict=True))
    seen = [(at, middle) for at, (character, middle) in places if not character.isspace()]
    gaps = [(after - at == 1, there - here) for (at, here), (after, there) in pairwise(seen)]
    lone = LONE_HEIGHTS / line.aspect
    pitches = [gap for is_beside, gap in gaps if is_beside]
    usual = median(pitches) if pitches else lone
    furthest = max(WIDEST * usual, lone) / 2
    reach = [gap / 2 if is_beside else min(gap / 4, furthest) for is_beside, gap in gaps]
    before, behind = [usual / 2, *reach], [*reach, usual / 2]
    return (
        {at: _share(middle - far) for (at, middle), far in zip(seen, before, strict=True)},
        {at: _share(middle + far) for (at, middle), far in zip(seen, behind, strict=True)},
    )


def _middles_of(line: PlacedLine) -> list[float]:
    """Return where the middles of all characters are, as shares of the line's length."""
    begin, end = _middles(line.cut)
    line_begin, line_end = _middles(line.corners)
    way = line_end - line_begin
    squared = max(abs(way) ** 2, 1e-6)
    first = ((begin - line_begin) * way.conjugate()).real / squared
    stretch = ((end - begin) * way.conjugate()).real / squared
    return [first + place * stretch for place in line.read.character_places]


def _middles(outline: Outline) -> tuple[complex, complex]:
    """Return the middles of the side where a line begins, and of that where it ends."""
    first, second, third, fourth = outline
    return (first + fourth) / 2, (second + third) / 2


def _outline(corners: Corners) -> Outline:
    first, second, third, fourth = corners.tolist()
    return complex(*first), complex(*second), complex(*third), complex(*fourth)


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)
