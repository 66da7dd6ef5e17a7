"""The candidates that become samples, each with its split."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Candidate, SampleLabelT_co
from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.split import SPLITS, Codes, Split, SplitCodes


@dataclass(frozen=True)
class Accepted(Generic[SampleLabelT_co]):
    """The candidates that become samples.

    Attributes:
        candidates: They and others.
        positions: (N,) where they stand among the candidates, ascending.
        splits: (N,) their splits, as positions in SPLITS.
    """

    candidates: CandidateTable[SampleLabelT_co]
    positions: Codes
    splits: SplitCodes

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[tuple[Candidate[SampleLabelT_co], Split]]:
        found = self.candidates.at(self.positions.tolist())
        yield from zip(found, (SPLITS[split] for split in self.splits.tolist()), strict=True)

    @property
    def unchecked(self) -> int:
        """How many of them nobody checked."""
        return int(self.candidates.unchecked[self.positions].sum())

    def by_split(self) -> "Accepted[SampleLabelT_co]":
        """The same by split and image, equal images by what they say, however they came."""
        said = ("name", "label", "group", "image")
        columns = [self.candidates.column(name)[self.positions] for name in said]
        order = np.lexsort([*columns, self.splits])
        return Accepted(self.candidates, self.positions[order], self.splits[order])

    def part(self, numbers: slice) -> "Accepted[SampleLabelT_co]":
        """Some of them."""
        return Accepted(self.candidates, self.positions[numbers], self.splits[numbers])

    def without(self, numbers: NDArray[np.integer]) -> "Accepted[SampleLabelT_co]":
        """Leave some out, by their number among the accepted ones."""
        positions, splits = np.delete(self.positions, numbers), np.delete(self.splits, numbers)
        return Accepted(self.candidates, positions, splits)

    def labels(self) -> Iterator[SampleLabelT_co]:
        """Yield the label of each."""
        return (row.label for row in self.candidates.rows(self.positions))
