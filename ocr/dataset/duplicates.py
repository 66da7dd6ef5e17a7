"""Duplicates out: one row per image, and no image in two splits, not even nearly.

Where two splits hold the same, the test split stays as it is, then the val split: a test set is
frozen, training data is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from string import digits
from typing import TypeVar

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots.spelling import usual_name
from ocr.dataset.split import Codes, Split, SplitCodes, where

AnyCandidate = Candidate[SampleLabel]
LabelT = TypeVar("LabelT", bound=SampleLabel)

_RANKS: dict[Split | None, int] = {"test": 0, "val": 1, "train": 2, None: 2}


def drop_duplicates(
    candidates: CandidateTable[LabelT], *, groups_repeat: bool = False
) -> tuple[Codes, list[Rejection]]:
    """Keep one row per image; with two texts in its first split, none of that image.

    Args:
        candidates: Sorted by image.
        groups_repeat: Rows that have a group are all kept, each path with each text once: equal
            lines of documents are no copies. Equal rows without a group yield to them.

    Returns:
        Positions of the kept candidates, ascending, and the rejections.
    """
    is_kept = np.ones(len(candidates), bool)
    rejections: list[Rejection] = []
    for start, end in repeated(candidates.column("image")):
        copies = dict(enumerate(candidates[start:end], start=start))
        ordered = sorted(copies, key=lambda at: _standing(copies[at], groups_repeat))
        at, *rest = ordered
        first, others = copies[at], [copies[other] for other in rest]
        if groups_repeat and first.row.group:
            again = dict(_repeats(copies, ordered))
            is_kept[list(again)] = False
            rejections += [_reject_copy(copies[at], of) for at, of in again.items()]
            continue
        alike = (other for other in others if _rank(other) == _rank(first))
        disputing = next((other for other in alike if _reads(other) != _reads(first)), None)
        is_kept[start:end] = False
        if disputing:
            other = f"{_name_beside(disputing, first)} reads {disputing.row.label.shown!r}"
            rejections.append(first.row.reject("duplicate_with_other_text", other))
        else:
            is_kept[at] = True
        rejections += [_reject_copy(other, first) for other in others]
    return where(is_kept), rejections


def _repeats(
    copies: Mapping[int, AnyCandidate], ordered: Sequence[int]
) -> Iterator[tuple[int, AnyCandidate]]:
    """Yield the rows without a group, and those of a path and text that are there, and of what."""
    seen: dict[object, AnyCandidate] = {}
    for at in ordered:
        one = copies[at]
        what = (usual_name(one.row.image), one.row.group, _reads(one))
        if not one.row.group:
            yield at, copies[ordered[0]]
        elif what in seen:
            yield at, seen[what]
        seen.setdefault(what, one)


def repeated(images: Codes) -> Iterator[tuple[int, int]]:
    """Yield where each image that several rows share begins and ends."""
    is_as_before = images[1:] == images[:-1]
    edges = np.flatnonzero(np.diff(is_as_before, prepend=False, append=False))
    for first, last in edges.reshape(-1, 2).tolist():
        yield first, last + 1


def connect(count: int, left: Codes, right: Codes) -> Codes:
    """Number the sets of what pairs tie together, chains included.

    Args:
        count: How many positions there are.
        left: (P,) positions of one side of each pair.
        right: (P,) positions of the other side.

    Returns:
        (count,) the first position of the set that each position is in.
    """
    numbers = np.arange(count, dtype=np.int32)
    tied, ends = np.unique(np.concatenate([left, right]), return_inverse=True)
    if len(tied):
        ones = np.ones(len(left), bool)
        graph = coo_array((ones, tuple(ends.reshape(2, -1))), shape=(len(tied), len(tied)))
        sets = connected_components(graph, directed=False)[1]
        numbers[tied] = tied[_first_of(sets)[sets]]
    return numbers


def join(numbers: Codes, left: Codes, right: Codes) -> Codes:
    """Number N sets anew, with those joined that pairs tie together: (N,).

    Args:
        numbers: (N,) number, below N, of the set that each position is in so far.
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
        first = _first_of(each)[each]
        others = where(first != np.arange(len(each), dtype=np.int32))
        left.append(first[others])
        right.append(others)
    return connect(len(numbers[0]), np.concatenate(left), np.concatenate(right))


def find_leaks(splits: SplitCodes, sets: Codes) -> tuple[Codes, Codes]:
    """Find samples that lie in a less protected split than another of their set.

    Args:
        splits: (N,) positions in SPLITS.
        sets: (N,) number of the cluster, or of the group, of each.

    Returns:
        Positions of the leaking samples and, for each, of the first that keeps its set's split.
    """
    best = np.zeros(sets.max(initial=-1) + 1, np.int8)
    np.maximum.at(best, sets, splits)
    leaking = where(splits < best[sets])
    is_torn = np.zeros(len(best), bool)
    is_torn[sets[leaking]] = True
    keeping = where(is_torn[sets] & (splits == best[sets]))
    first = dict(zip(sets[keeping][::-1].tolist(), keeping[::-1].tolist(), strict=True))
    return leaking, np.array([first[each] for each in sets[leaking].tolist()], np.int32)


def _first_of(sets: Codes) -> Codes:
    """The first position of each set; 0 where it has none."""
    first = np.zeros(sets.max(initial=-1) + 1, np.int32)
    first[sets[::-1]] = np.arange(len(sets) - 1, -1, -1, dtype=np.int32)  # numpy keeps the last
    return first


def name_of(candidate: AnyCandidate) -> str:
    """What a rejection calls another row: its image or, where it has none, its place."""
    return candidate.row.image or candidate.row.where


def _reject_copy(candidate: AnyCandidate, first: AnyCandidate) -> Rejection:
    name = _name_beside(first, candidate)
    if _reads(candidate) != _reads(first):
        detail = f"{name} reads {first.row.label.shown!r}"
        return candidate.row.reject("duplicate_with_other_text", detail)
    if _rank(candidate) != _rank(first):
        return candidate.row.reject("same_image_in_two_splits", f"also {first.row.split} {name}")
    return candidate.row.reject("duplicate", f"same as {name}")


def _reads(candidate: AnyCandidate) -> str:
    return candidate.row.label.stored


def _name_beside(one: AnyCandidate, other: AnyCandidate) -> str:
    """What the rejection of one row calls the other: its place, where the same image is meant."""
    return one.row.where if one.row.image == other.row.image else name_of(one)


def _standing(candidate: AnyCandidate, groups_first: bool) -> tuple[int, bool, str, object]:
    row = candidate.row
    return _rank(candidate), groups_first and not row.group, row.image, _place(row.where)


def _place(where: str) -> tuple[str, int]:
    """Take "rec_train.txt:12" or "tasks.json task 12" apart, so that 2 stands before 12."""
    file = where.rstrip(digits)
    return file, int(where[len(file) :] or 0)


def _rank(candidate: AnyCandidate) -> int:
    return _RANKS[candidate.row.split]
