"""Where the words of a line stand, by the frames in which its characters were read."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ocr.image.cropping import crop_corners
from ocr.image.rectangle import Corners
from ocr.reading.recognition.ctc import Recognition

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
    def cut(self) -> Corners:
        """(4, 2) corners of what was read, from where the reading began."""
        return crop_corners(self.crop_box)

    @cached_property
    def turns(self) -> int:
        """Which corner of the box is where the reading begins."""
        reading = self.cut[1] - self.cut[0]
        sides = np.roll(self.box, -1, axis=0) - self.box
        lengths = np.maximum(np.linalg.norm(sides, axis=1), 1e-6)
        return int(np.argmax(sides @ reading / lengths))

    @cached_property
    def aspect(self) -> float:
        """Length of the line by its height; above 0."""
        first, second, third, fourth = self.corners
        length_px = float(np.linalg.norm(second - first + third - fourth))
        height_px = float(np.linalg.norm(fourth - first + third - second))
        return max(length_px, 1.0) / max(height_px, 1.0)

    @cached_property
    def corners(self) -> Corners:
        """(4, 2) the corners of the box from where the reading begins."""
        return np.roll(self.box, -self.turns, axis=0)

    def middle(self, share: float) -> NDArray[np.float32]:
        """Return the place (2,) at a share of its length, halfway between top and bottom."""
        first, second, third, fourth = self.corners
        return np.asarray(((1 - share) * (first + fourth) + share * (second + third)) / 2)

    def part(self, begin: float, end: float) -> Corners:
        """Return what lies between two shares of its length, its corners as those of the box."""
        first, second, third, fourth = self.corners
        top, bottom = second - first, third - fourth
        part = [
            first + begin * top,
            first + end * top,
            fourth + end * bottom,
            fourth + begin * bottom,
        ]
        return np.asarray(np.roll(part, self.turns, axis=0), dtype=np.float32)


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
    begins, ends = _edges(_shares_of_line(np.array(line.read.character_places), line), line)
    if words[0].start == 0:
        begins[0] = 0.0
    if words[-1].stop == len(text):
        ends[len(text) - 1] = 1.0
    return [WordPlace(word, begins[word.start], ends[word.stop - 1]) for word in words]


def _edges(
    middles: NDArray[np.float64], line: PlacedLine
) -> tuple[dict[int, float], dict[int, float]]:
    """Return where the visible characters begin and end: halfway to the next one.

    Across white space it is a quarter of the way, as white space may stand anywhere in it, and not
    further than a character reaches. All are shares of the line's length, 0 to 1.
    """
    visible = [at for at, character in enumerate(line.read.text) if not character.isspace()]
    seen = middles[visible]
    gaps = np.diff(seen)
    beside = np.diff(visible) == 1
    lone = LONE_HEIGHTS / line.aspect
    usual = float(np.median(gaps[beside])) if beside.any() else lone
    reach = np.where(beside, gaps / 2, np.minimum(gaps / 4, max(WIDEST * usual, lone) / 2))
    begins = np.clip(seen - np.concatenate([[usual / 2], reach]), 0, 1)
    ends = np.clip(seen + np.concatenate([reach, [usual / 2]]), 0, 1)
    return dict(zip(visible, begins.tolist(), strict=True)), dict(
        zip(visible, ends.tolist(), strict=True)
    )


def _shares_of_line(places: NDArray[np.float64], line: PlacedLine) -> NDArray[np.float64]:
    """Return shares of the width of what was cut out, (L,), as shares of the line."""
    begin, end = _middles(line.cut)
    line_begin, line_end = _middles(line.corners)
    way = line_end - line_begin
    ways = begin + places[:, None] * (end - begin) - line_begin
    return np.asarray(ways @ way / max(float(way @ way), 1e-6))


def _middles(corners: Corners) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second, third, fourth = corners.astype(np.float64)
    return (first + fourth) / 2, (second + third) / 2
