"""Rows without a split of their own are divided: by documents, and what has none by its image."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import SampleLabel
from ocr.dataset.candidate_table import CandidateTable, hex_ids
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import (
    TEST,
    VAL,
    Codes,
    Split,
    SplitCodes,
    SplitRule,
    assign_splits,
    find_places,
    where,
)

LabelT = TypeVar("LabelT", bound=SampleLabel)

_KEYS_AT_ONCE = 4096


@dataclass(frozen=True)
class Division(Generic[LabelT]):
    """How rows are divided; `rule`, `given` and `frozen_share` as of `assign_splits`."""

    candidates: CandidateTable[LabelT]
    rule: SplitRule
    given: Sequence[Split]
    frozen_share: float

    def nearness(self, rows: Codes) -> NDArray[np.float64]:
        """Say how near to test some rows are: first what is there, then what is given for val."""
        splits, places = self.candidates.splits[rows], self._places(rows)
        share = 0.0 if "test" in self.given else self.rule.test_share
        is_drawn = self.candidates.free[rows] & (places < share)
        places += np.where(is_drawn | (splits == TEST), 0, np.where(splits == VAL, 1, 2))
        return places

    def divide(self, ties: Codes, *, kept: Codes, follows: NDArray[np.bool_]) -> SplitCodes:
        """Set the splits of all rows: what those that are not kept tie together stays together."""
        is_free, splits = self.candidates.free, self.candidates.splits
        is_kept = np.zeros(len(self.candidates), bool)
        is_kept[kept] = True
        splits[is_free] = assign_splits(
            self._keys(where(is_free)),
            rule=self.rule,
            given=self.given,
            ties=ties[is_free],
            kept=is_kept[is_free],
            follows=follows[is_free],
            frozen_share=self.frozen_share,
        )
        return splits

    def reject_strays(
        self, kept: Accepted[LabelT], clusters: Codes, follows: NDArray[np.bool_]
    ) -> dict[int, Rejection]:
        """Reject what follows a document that is not in test, but would be there without it.

        That is all of a cluster that follows, once one of it has its own place in test.
        """
        share = self.frozen_share if "test" in self.given else self.rule.test_share
        following = where(follows & self.candidates.free)
        places = find_places(self._keys(following), len(following), rule=self.rule)
        in_test = clusters[following[places < share]]
        is_stray = follows[kept.positions] & np.isin(clusters[kept.positions], in_test)
        strays = where(is_stray & self.candidates.free[kept.positions] & (kept.splits != TEST))
        detail = "would be in test, but for a line of a document elsewhere that is nearly the same"
        rows = kept.candidates.at(kept.positions[strays].tolist())
        return {
            int(at): each.row.reject("near_image_in_two_splits", detail)
            for at, each in zip(strays, rows, strict=True)
        }

    def _places(self, rows: Codes) -> NDArray[np.float64]:
        return find_places(
            self._keys(rows), len(rows), rule=self.rule, frozen_share=self.frozen_share
        )

    def _keys(self, rows: Codes) -> Iterator[str]:
        """What decides the place of each: its group or, where it has none, its image."""
        for start in range(0, len(rows), _KEYS_AT_ONCE):
            block = rows[start : start + _KEYS_AT_ONCE]
            records = self.candidates.records(block)
            found = self.candidates.rows(block[records["group"] != 0])
            for image, group in zip(hex_ids(records), records["group"].tolist(), strict=True):
                yield f"group:{next(found).group}" if group else image
