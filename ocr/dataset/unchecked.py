"""Rows whose labels a model wrote and nobody looked at: they teach, and disturb nothing.

People's rows are selected and split as if there were no others. Then what nobody checked joins
train, but for copies of what somebody labelled and for what belongs to a document that is held out.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import SampleLabel
from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import TRAIN, Codes, SplitCodes, where

LabelT = TypeVar("LabelT", bound=SampleLabel)
FindAlike = Callable[[CandidateTable[LabelT], CandidateTable[LabelT]], NDArray[np.bool_]]
"""Tells which rows of the first table, which nobody checked, are copies of any of the second."""


def join_unchecked(
    accepted: Accepted[LabelT],
    of_people: Codes,
    splits: SplitCodes,
    *,
    find_alike: FindAlike[LabelT],
) -> tuple[Accepted[LabelT], list[Rejection]]:
    """Add to train what nobody checked, and say what yields and to what.

    Args:
        accepted: What was selected of people's rows.
        of_people: (P,) positions of these among the candidates, selected or not.
        splits: (P,) their splits.
        find_alike: Tells copies.
    """
    candidates = accepted.candidates
    positions = where(candidates.unchecked)
    images, groups = candidates.column("image"), candidates.groups
    is_held_out = np.isin(groups[positions], groups[of_people[splits != TRAIN]])
    is_alike = np.isin(images[positions], images[of_people])
    is_alike |= find_alike(candidates.part(positions), candidates.part(of_people))
    _, first = np.unique(images[positions], return_index=True)
    is_first = np.isin(np.arange(len(positions)), first)
    rejections = []
    for at in where(is_alike | is_held_out | ~is_first).tolist():
        row = candidates[int(positions[at])].row
        if is_alike[at]:
            rejections.append(row.reject("duplicate", "somebody labelled this page"))
        elif is_held_out[at]:
            detail = f"val or test have others of the group {row.group!r}"
            rejections.append(row.reject("group_in_two_splits", detail))
        else:
            rejections.append(row.reject("duplicate", "read before"))
    joining = positions[~is_alike & ~is_held_out & is_first]
    together = np.concatenate([accepted.positions, joining])
    both = np.concatenate([accepted.splits, np.full(len(joining), TRAIN, np.int8)])
    order = np.argsort(together, kind="stable")
    return Accepted(candidates, together[order], both[order]), rejections
