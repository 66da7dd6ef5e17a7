"""The character mattes of all groups, and which may stand in for which."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from training.recognition.composition.group import CropGroup
from training.recognition.composition.legibility import shape_of, unit_rows

Bytes = NDArray[np.uint8]

MIN_CONTRAST = 25.0
"""Least distance of ink from paper of a matte that is used where there are others."""
FEW = 8
"""Of characters with fewer mattes every one is kept: there is no telling which is odd."""
LIKENESS = 0.65
SIZE_RATIO = 1.3


class MatteLibrary:
    """For each character its mattes as (group, row, position)."""

    def __init__(self, groups: Sequence[CropGroup]) -> None:
        self.groups = groups
        everywhere: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for number, group in enumerate(groups):
            for row, text in enumerate(group.texts):
                for position, character in enumerate(text):
                    everywhere[character].append((number, row, position))
        self.sources = {
            character: self._without_odd(self._without_faint(sources))
            for character, sources in sorted(everywhere.items())
        }
        self._fitting: dict[tuple[str, int, int], list[tuple[int, int, int]]] = {}

    def fitting(self, character: str, height: int, width: int) -> list[tuple[int, int, int]]:
        """Mattes of a character from cells of about this size."""
        key = (character, height, width)
        if key not in self._fitting:
            self._fitting[key] = [
                source
                for source in self.sources.get(character, [])
                if self._is_similar(source, height, width)
            ]
        return self._fitting[key]

    def alpha(self, source: tuple[int, int, int]) -> Bytes:
        """The matte, bytes of LEVELS."""
        number, row, position = source
        return self.groups[number].alpha(row, position)

    def available(self, height: int, width: int) -> set[str]:
        """Characters that can be painted into a cell of this size."""
        return {c for c in self.sources if self.fitting(c, height, width)}

    def _is_similar(self, source: tuple[int, int, int], height: int, width: int) -> bool:
        cells = self.groups[source[0]].cells
        ratio = cells.widths_px[source[2]] * height / (cells.height_px * width)
        return bool(1 / SIZE_RATIO < ratio < SIZE_RATIO)

    def _without_faint(self, sources: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        clear = [s for s in sources if self.groups[s[0]].mattes[s[1]].contrast > MIN_CONTRAST]
        return clear if len(clear) >= FEW else sources

    def _without_odd(self, sources: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Leave out mattes unlike the median of their character: misread, hidden or misaligned."""
        if len(sources) < FEW:
            return sources
        shapes = np.stack([shape_of(self.alpha(source)) for source in sources])
        middle = unit_rows(np.median(shapes, axis=0)[None])[0]
        likeness = unit_rows(shapes) @ middle
        least = LIKENESS * np.median(likeness)
        return [source for source, like in zip(sources, likeness, strict=True) if like > least]
