"""Lines that a detector took for one, parted where a gap model says that they end.

A gap in which the detector is sure of text is none, whatever is read beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ocr.models.gap_model import LEAST_HEIGHTS, Gap, GapModel
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.words import PlacedLine, WordPlace, place_words

SURE_OF_TEXT = 0.9
"""Lines are parted where the detector is less sure than this that there is text. On receipts any
limit from 0.7 to 0.95 does the same; without one, half of what is gained is lost again."""


@dataclass(frozen=True)
class FoundGap:
    """A gap that is wide enough to part lines, between two words of a line."""

    heights: float
    before: WordPlace
    behind: WordPlace


def find_gaps(line: PlacedLine) -> Iterator[FoundGap]:
    """Yield the gaps of a line that are wide enough to part lines, in reading order."""
    words = place_words(line)
    if len(words) < 2:
        return
    for before, behind in pairwise(words):
        width = (behind.begin - before.end) * line.aspect
        if width >= LEAST_HEIGHTS:
            yield FoundGap(width, before, behind)


def cut_at_gaps(line: PlacedLine, model: GapModel) -> list[PlacedLine]:
    """Part a line at the gaps where others begin; what lies in between belongs to none.

    The texts are parts of what was read, the boxes parts of its box, each as long as its words.
    """
    text = line.read.text
    parts: list[PlacedLine] = []
    first, begin = 0, 0.0
    for gap in find_gaps(line):
        last, next_first = gap.before.characters.stop, gap.behind.characters.start
        parted = model.parts(Gap(gap.heights, text[first:last], text[next_first:]))
        if parted and not _is_text(line, gap):
            parts.append(_part(line, slice(first, last), begin, gap.before.end))
            first, begin = next_first, gap.behind.begin
    return [*parts, _part(line, slice(first, len(text)), begin, 1.0)] if parts else [line]


def _is_text(line: PlacedLine, gap: FoundGap) -> bool:
    if line.kernels is None:
        return False
    first, _, _, fourth = line.corners
    begin, end = line.middle(gap.before.end), line.middle(gap.behind.begin)
    return line.kernels.least_between(begin, end, fourth - first) >= SURE_OF_TEXT


def _part(line: PlacedLine, characters: slice, begin: float, end: float) -> PlacedLine:
    read = line.read
    confidences = read.character_confidences[characters]
    part = Recognition(
        text=read.text[characters],
        confidence=float(np.mean(confidences)),
        character_confidences=confidences,
        character_places=read.character_places[characters],
        is_reread=read.is_reread,
    )
    return replace(line, read=part, box=line.part(begin, end))
