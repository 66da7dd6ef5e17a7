"""Duplicates out: one row per image, and no image in two splits, not even nearly.

Where two splits hold the same, the test split stays as it is, then the val split: a test set is
frozen, training data is not.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split

LabelT = TypeVar("LabelT", bound=SampleLabel)
AnyCandidate = Candidate[SampleLabel]

_RANKS: dict[Split | None, int] = {"test": 0, "val": 1, "train": 2, None: 2}


def drop_duplicates(
    candidates: Iterable[Candidate[LabelT]],
) -> tuple[list[Candidate[LabelT]], list[Rejection]]:
    """Keep one row per image; with two texts in its first split, none of that image.

    Returns:
        The kept candidates, sorted by image id, and the rejections.
    """
    ordered = sorted(candidates, key=_image_id)
    kept: list[Candidate[LabelT]] = []
    rejections: list[Rejection] = []
    for _, group in groupby(ordered, key=_image_id):
        first, *others = group
        if not others:
            kept.append(first)
            continue
        first, *others = sorted([first, *others], key=_standing)
        is_disputed = any(
            _rank(o) == _rank(first) and o.row.label.stored != first.row.label.stored
            for o in others
        )
        if is_disputed:
            detail = f"reads {first.row.label.shown!r} and otherwise"
            rejections.append(first.row.reject("duplicate_with_other_text", detail))
        else:
            kept.append(first)
        rejections += [_reject_copy(other, first) for other in others]
    return kept, rejections


def connect(count: int, left: ArrayLike, right: ArrayLike) -> NDArray[np.int64]:
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


def split_keys(candidates: Sequence[AnyCandidate], clusters: Sequence[int]) -> list[str]:
    """One key per candidate; those that must stay together, by group or likeness, share it.

    Args:
        candidates: Sorted by image id.
        clusters: Cluster of near-duplicates of each.
    """
    groups = [candidate.row.group for candidate in candidates]
    labels = _join_groups(clusters, groups) if any(groups) else clusters
    keys: dict[int, str] = {}
    for label, group, candidate in zip(labels, groups, candidates, strict=True):
        key = f"group:{group}" if group else candidate.encoded.id
        keys[label] = min(keys.get(label, "~"), key)
    return [keys[label] for label in labels]


def find_leaks(
    candidates: Sequence[AnyCandidate], splits: Sequence[Split], clusters: Sequence[int]
) -> dict[int, Rejection]:
    """Reject near-duplicates that lie in another split than the most protected of their cluster.

    Returns:
        Rejections by position in the sequence.
    """
    keepers: dict[int, int] = {}
    for at in sorted(range(len(splits)), key=lambda at: _RANKS[splits[at]]):
        keepers.setdefault(clusters[at], at)
    leaks: dict[int, Rejection] = {}
    for at, (candidate, split) in enumerate(zip(candidates, splits, strict=True)):
        keeper = keepers[clusters[at]]
        if splits[keeper] != split:
            detail = f"nearly the same as {splits[keeper]} {_name(candidates[keeper])}"
            leaks[at] = candidate.row.reject("near_image_in_two_splits", detail)
    return leaks


def _join_groups(clusters: Sequence[int], groups: Sequence[str]) -> list[int]:
    """Number the sets of what is tied by a cluster or by a group that has a name."""
    names = [(f"cluster:{cluster}", at) for at, cluster in enumerate(clusters)]
    names += [(f"group:{group}", at) for at, group in enumerate(groups) if group]
    first: dict[str, int] = {}
    left = [first.setdefault(name, at) for name, at in names]
    return list(map(int, connect(len(groups), left, [at for _, at in names])))


def _reject_copy(candidate: AnyCandidate, first: AnyCandidate) -> Rejection:
    name = _name(first)
    if _reads(candidate) != _reads(first):
        detail = f"{name} reads {first.row.label.shown!r}"
        return candidate.row.reject("duplicate_with_other_text", detail)
    if _rank(candidate) != _rank(first):
        return candidate.row.reject("same_image_in_two_splits", f"also {first.row.split} {name}")
    return candidate.row.reject("duplicate", f"same as {name}")


def _reads(candidate: AnyCandidate) -> str:
    return candidate.row.label.stored


def _image_id(candidate: AnyCandidate) -> str:
    return candidate.encoded.id


def _standing(candidate: AnyCandidate) -> tuple[int, str, str]:
    return _rank(candidate), candidate.row.image, candidate.row.where


def _rank(candidate: AnyCandidate) -> int:
    return _RANKS[candidate.row.split]


def _name(candidate: AnyCandidate) -> str:
    return candidate.row.image or candidate.row.where
