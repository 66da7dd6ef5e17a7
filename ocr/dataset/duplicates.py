"""Duplicates out: one row per image, and no image in two splits, not even nearly.

Where two splits hold the same, the test split stays as it is, then the val split: a test set is
frozen, training data is not.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ocr.dataset.candidate import Candidate
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.image.perceptual_hash import HASH_BYTES, cluster_near

_RANKS: dict[Split | None, int] = {"test": 0, "val": 1, "train": 2, None: 2}


def drop_duplicates(
    candidates: Iterable[Candidate],
) -> tuple[list[Candidate], list[Rejection]]:
    """Keep one row per image; with two texts in its first split, none of that image.

    Returns:
        The kept candidates, sorted by image id, and the rejections.
    """
    ordered = sorted(candidates, key=_image_id)
    kept: list[Candidate] = []
    rejections: list[Rejection] = []
    for _, group in groupby(ordered, key=_image_id):
        first, *others = group
        if not others:
            kept.append(first)
            continue
        first, *others = sorted([first, *others], key=_standing)
        is_disputed = any(_rank(o) == _rank(first) and o.row.text != first.row.text for o in others)
        if is_disputed:
            detail = f"reads {first.row.text!r} and otherwise"
            rejections.append(first.reject("duplicate_with_other_text", detail))
        else:
            kept.append(first)
        rejections += [_reject_copy(other, first) for other in others]
    return kept, rejections


def cluster_candidates(candidates: Sequence[Candidate], *, bits: int) -> list[int]:
    """Number the clusters of near-duplicates of one text, one number per candidate."""
    joined = b"".join(candidate.encoded.hash for candidate in candidates)
    hashes = np.frombuffer(joined, np.uint8).reshape(-1, HASH_BYTES)
    numbers: dict[str, int] = {}
    texts = [numbers.setdefault(c.row.text, len(numbers)) for c in candidates]
    return [int(label) for label in cluster_near(hashes, np.array(texts, np.int64), bits=bits)]


def split_keys(candidates: Sequence[Candidate], clusters: Sequence[int]) -> list[str]:
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
    candidates: Sequence[Candidate], splits: Sequence[Split], clusters: Sequence[int]
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
            leaks[at] = candidate.reject("near_image_in_two_splits", detail)
    return leaks


def _join_groups(clusters: Sequence[int], groups: Sequence[str]) -> list[int]:
    """Number the sets of what is tied by a cluster or by a group that has a name."""
    names = [(f"cluster:{cluster}", at) for at, cluster in enumerate(clusters)]
    names += [(f"group:{group}", at) for at, group in enumerate(groups) if group]
    first: dict[str, int] = {}
    edges = np.array([(first.setdefault(name, at), at) for name, at in names]).reshape(-1, 2)
    graph = coo_array((np.ones(len(edges), np.int8), tuple(edges.T)), shape=(len(groups),) * 2)
    numbers: list[int] = connected_components(graph, directed=False)[1].tolist()
    return numbers


def _reject_copy(candidate: Candidate, first: Candidate) -> Rejection:
    name = _name(first)
    if candidate.row.text != first.row.text:
        detail = f"{name} reads {first.row.text!r}"
        return candidate.reject("duplicate_with_other_text", detail)
    if _rank(candidate) != _rank(first):
        return candidate.reject("same_image_in_two_splits", f"also {first.row.split} {name}")
    return candidate.reject("duplicate", f"same as {name}")


def _image_id(candidate: Candidate) -> str:
    return candidate.encoded.id


def _standing(candidate: Candidate) -> tuple[int, str, str]:
    return _rank(candidate), candidate.row.image, candidate.row.where


def _rank(candidate: Candidate) -> int:
    return _RANKS[candidate.row.split]


def _name(candidate: Candidate) -> str:
    return candidate.row.image or candidate.row.where
