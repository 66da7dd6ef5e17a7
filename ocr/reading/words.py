"""Where the words of a line stand, by the frames in which its characters were read."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ocr.image.rectangle import Corners
from ocr.reading.recognition.ctc import Recognition

WORD: Final = re.compile(r"\S+")
"""What white space parts; scripts that put none have lines of one word."""


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


def find_words(line: Recognition, box: Corners, cut: Corners) -> list[FoundWord]:
    """Find the words of a line; none where nothing is known of its characters.

    Args:
        line: What was read.
        box: (4, 2) corners of the line, in order.
        cut: (4, 2) corners of what was read, from where the reading began.
    """
    if not line.text or len(line.character_places) != len(line.text):
        return []
    edges = _edges(np.array(line.character_places))
    turns = _turns_to(box, cut)
    along = _shares_of_line(edges, np.roll(box, -turns, axis=0), cut)
    along[0, 0], along[-1, 1] = 0, 1  # the detector knows better where a line ends
    confidences = line.character_confidences
    return [
        FoundWord(
            text=word.group(),
            confidence=float(np.mean(confidences[word.start() : word.end()])),
            corners=_part(box, turns, along[word.start()][0], along[word.end() - 1][1]),
        )
        for word in WORD.finditer(line.text)
    ]


def _edges(middles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where characters begin and end: halfway to their neighbours; (L, 2)."""
    gaps = np.diff(middles)
    half = float(np.median(gaps)) / 2 if len(gaps) else 0.5
    between = (middles[1:] + middles[:-1]) / 2
    begins = np.concatenate([[middles[0] - half], between])
    ends = np.concatenate([between, [middles[-1] + half]])
    return np.stack([begins, ends], axis=1)


def _turns_to(box: Corners, cut: Corners) -> int:
    """Return which corner of a box is where the reading of what was cut out begins."""
    reading = cut[1] - cut[0]
    sides = np.roll(box, -1, axis=0) - box
    return int(np.argmax(sides @ reading / np.maximum(np.linalg.norm(sides, axis=1), 1e-6)))


def _shares_of_line(edges: NDArray[np.float64], line: Corners, cut: Corners) -> NDArray[np.float64]:
    """Return shares of the width of what was cut out as shares of the line, 0 to 1."""
    begin, end = _middles(cut)
    line_begin, line_end = _middles(line)
    way = line_end - line_begin
    places = begin + edges[..., None] * (end - begin) - line_begin
    return np.asarray(np.clip(places @ way / max(float(way @ way), 1e-6), 0, 1))


def _middles(corners: Corners) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second, third, fourth = corners.astype(np.float64)
    return (first + fourth) / 2, (second + third) / 2


def _part(box: Corners, turns: int, begin: float, end: float) -> Corners:
    """Return what lies between two shares of a line, its corners in the order of the box's."""
    first, second, third, fourth = np.roll(box, -turns, axis=0)
    top, bottom = second - first, third - fourth
    part = [first + begin * top, first + end * top, fourth + end * bottom, fourth + begin * bottom]
    return np.asarray(np.roll(part, turns, axis=0), dtype=np.float32)
