"""Duplicates out: one row per image, and no image in two splits, not even nearly.

Where two splits hold the same, the test split stays as it is, then the val split: a test set is
frozen, training data is not.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Codes, Split

AnyCandidate = Candidate[SampleLabel]
LabelT = TypeVar("LabelT", bound=SampleLabel)

_RANKS: dict[Split | None, int] = {"test": 0, "val": 1, "train": 2, None: 2}


def drop_duplicates(
    candidates: CandidateTable[LabelT],
) -> tuple[NDArray[np.int64], list[Rejection]]:
    """Keep one row per image; with two texts in its first split, none of that image.

    Returns:
        Positions of the kept candidates, ascending, and the rejections.
    """
    starts = np.flatnonzero(np.diff(candidates.images, prepend=-1))
    counts = np.diff(starts, append=len(candidates))
    is_kept = np.ones(len(candidates), bool)
    rejections: list[Rejection] = []
    for start, count in zip(starts[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        copies = dict(enumerate(candidates[start : start + count], start=start))
        at, *rest = sorted(copies, key=lambda at: _standing(copies[at]))
        first, others = copies[at], [copies[other] for other in rest]
        is_disputed = any(_rank(o) == _rank(first) and _reads(o) != _reads(first) for o in others)
        is_kept[start : start + count] = False
        if is_disputed:
            detail = f"reads {first.row.label.shown!r} and otherwise"
            rejections.append(first.row.reject("duplicate_with_other_text", detail))
        else:
            is_kept[at] = True
        rejections += [_reject_copy(other, first) for other in others]
    return np.flatnonzero(is_kept), rejections


def connect(count: int, left: ArrayLike, right: ArrayLike) -> Codes:
    """Number the sets of what pairs tie together, chains included.

    Args:
        count: How many positions there are.
        left: (N,) positions of one side of each pair.
        right: (N,) positions of the other side.

    Returns:
        (count,) a number per position.
    """
    ends = np.array([left, right], np.int64)
    graph = coo_array((np.ones(ends.shape[1], bool), (ends[0], ends[1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def join(numbers: Codes, left: Codes, right: Codes) -> Codes:
    """Number N sets anew, with those joined that pairs tie together: (N,).

    Args:
        numbers: (N,) number of the set that each position is in so far.
        left: (P,) positions of one side of each pair.
        right: (P,) positions of the other side.
    """
    return connect(len(numbers), numbers[left], numbers[right])[numbers] if len(left) else numbers


def tie(*numbers: Codes) -> Codes:
    """Number the sets of N rows that share any of their numbers, chains included: (N,).

    Args:
        numbers: (N,) each, from 0: the clusters, the groups, the images of the rows.
    """
    left, right = [], []
    for each in numbers:
        first = _first_of(each, np.arange(len(each)))[each]
        others = np.flatnonzero(first != np.arange(len(each)))
        left.append(first[others])
        right.append(others)
    return connect(len(numbers[0]), np.concatenate(left), np.concatenate(right))


def find_leaks(splits: Codes, sets: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find samples that lie in a less protected split than another of their set.

    Args:
        splits: (N,) positions in SPLITS.
        sets: (N,) number of the cluster, or of the group, of each.

    Returns:
        Positions of the leaking samples and, for each, of the first that keeps its set's split.
    """
    best = np.zeros(sets.max(initial=-1) + 1, np.int64)
    np.maximum.at(best, sets, splits)
    best = best[sets]
    leaking = np.flatnonzero(splits < best)
    keepers = _first_of(sets, np.flatnonzero(splits == best))
    return leaking, keepers[sets[leaking]]


def _first_of(sets: Codes, positions: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first of some ascending positions in each set; 0 where there is none."""
    first = np.zeros(sets.max(initial=-1) + 1, np.intp)
    first[sets[positions[::-1]]] = positions[::-1]  # of several, numpy keeps the last
    return first


def name_of(candidate: AnyCandidate) -> str:
    """What a rejection calls another row: its image or, where it has none, its place."""
    return candidate.row.image or candidate.row.where


def _reject_copy(candidate: AnyCandidate, first: AnyCandidate) -> Rejection:
    name = name_of(first)
    if _reads(candidate) != _reads(first):
        detail = f"{name} reads {first.row.label.shown!r}"
        return candidate.row.reject("duplicate_with_other_text", detail)
    if _rank(candidate) != _rank(first):
        return candidate.row.reject("same_image_in_two_splits", f"also {first.row.split} {name}")
    return candidate.row.reject("duplicate", f"same as {name}")


def _reads(candidate: AnyCandidate) -> str:
    return candidate.row.label.stored


def _standing(candidate: AnyCandidate) -> tuple[int, str, str]:
    return _rank(candidate), candidate.row.image, candidate.row.where


def _rank(candidate: AnyCandidate) -> int:
    return _RANKS[candidate.row.split]
