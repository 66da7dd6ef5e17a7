"""Lines that a detector took for one, parted where a gap model says that they end.

A gap in which the detector is sure of text is none, whatever is read beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ocr.models.gap_model import LEAST_HEIGHTS, Gap, GapModel
from ocr.reading.detection.kernel_map import KernelMap
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.words import PlacedLine, WordPlace, place_words

SURE_OF_TEXT = 0.9
"""Lines are parted where the detector is less sure than this that there is text. On receipts
limits from 0.7 to 0.95 gained about the same; without one, validation pages gained nothing."""

NARROWEST_HEIGHTS = 0.2
"""What is narrower is no line: nothing is cut off there."""


@dataclass(frozen=True)
class FoundGap:
    """A gap that is wide enough to part lines, between two words of a line."""

    heights: float
    before: WordPlace
    behind: WordPlace


def cut_at_gaps(
    line: PlacedLine, model: GapModel, kernels: KernelMap | None = None
) -> list[PlacedLine]:
    """Part a line at the gaps where others begin; what lies in between belongs to none.

    Args:
        line: The line.
        model: Says where.
        kernels: What the detector saw of the page, where that is known.
    """
    return cut_line(line, [gap for gap, _ in score_gaps(line, model, kernels)])


def score_gaps(
    line: PlacedLine, model: GapModel, kernels: KernelMap | None
) -> list[tuple[FoundGap, float]]:
    """Return the gaps at which a model parts a line, in reading order, each with its probability.

    Arguments are those of `cut_at_gaps`.
    """
    gaps = find_gaps(line)
    scored = zip(gaps, map(model.probability, describe_gaps(line.read.text, gaps)), strict=True)
    return [
        (gap, probability)
        for gap, probability in scored
        if probability > model.cut_above and not (kernels and _is_text(line, gap, kernels))
    ]


def find_gaps(line: PlacedLine) -> list[FoundGap]:
    """Return the gaps of a line that are wide enough to part lines, in reading order."""
    if len(line.read.text.split()) < 2:
        return []
    words = place_words(line)
    begin, end = 0.0, 1.0
    gaps = []
    for before, behind in pairwise(words):
        width = (behind.begin - before.end) * line.aspect
        narrowest = min(before.end - begin, end - behind.begin) * line.aspect
        if width >= LEAST_HEIGHTS and narrowest >= NARROWEST_HEIGHTS:
            gaps.append(FoundGap(width, before, behind))
            begin = behind.begin
    return gaps


def describe_gaps(text: str, gaps: Sequence[FoundGap]) -> Iterator[Gap]:
    """Yield gaps as a gap model looks at them, each with what is read up to the next ones."""
    begins = [0, *(gap.behind.characters.start for gap in gaps)]
    ends = [*(gap.before.characters.stop for gap in gaps), len(text)]
    parts = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    for gap, (left, right) in zip(gaps, pairwise(parts), strict=True):
        yield Gap(gap.heights, left.strip(), right.strip())


def cut_line(line: PlacedLine, gaps: Sequence[FoundGap]) -> list[PlacedLine]:
    """Part a line at gaps of it, in reading order.

    The texts are parts of what was read, the boxes parts of its box, each as long as its words.
    """
    if not gaps:
        return [line]
    begins = [(0, 0.0), *((gap.behind.characters.start, gap.behind.begin) for gap in gaps)]
    ends = [*((gap.before.characters.stop, gap.before.end) for gap in gaps)]
    ends.append((len(line.read.text), 1.0))
    return [
        _part(line, slice(first, last), begin, end)
        for (first, begin), (last, end) in zip(begins, ends, strict=True)
    ]


def _is_text(line: PlacedLine, gap: FoundGap, kernels: KernelMap) -> bool:
    first, _, _, fourth = line.corners
    begin, end = line.middle(gap.before.end), line.middle(gap.behind.begin)
    return kernels.least_between(begin, end, fourth - first) >= SURE_OF_TEXT


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
