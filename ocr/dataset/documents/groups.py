"""Groups keep the splits apart: what is alike in two documents ties them only if all of it is.

The printed words of a form are the same to the pixel in every document of it, so that chains of
equal crops would put all of them into one split.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ocr.dataset.duplicates import join
from ocr.dataset.split import Codes, where

COPY_SHARE = 0.9
"""Of the different lines of the larger of two groups, so many are in both if they are copies."""

_BLOCK = 1024


def find_owners(
    clusters: Codes,
    groups: Codes,
    is_grouped: NDArray[np.bool_],
    *,
    nearness: Callable[[Codes], NDArray[np.float64]],
) -> tuple[Codes, NDArray[np.bool_]]:
    """Say whose each of N rows is: of what owners differ in, nothing is a copy.

    Groups that are copies of each other are one owner. A row without a group is of the one nearest
    to test of those that have its cluster, which those that join can only bring nearer; or of its
    cluster where none has.

    Args:
        clusters: (N,) the first row of the cluster of near-duplicates that each row is in.
        groups: (N,) number of the group of each.
        is_grouped: (N,) which ones have a group.
        nearness: Tells how near to test the groups of some rows are: the smaller, the nearer.

    Returns:
        (N,) the owners, and (N,) which rows without a group are of one: they follow it.
    """
    grouped = where(is_grouped)
    owners, follows = clusters.copy(), np.zeros(len(clusters), bool)
    if not len(grouped):
        return owners, follows
    _, firsts, which = np.unique(groups[grouped], return_index=True, return_inverse=True)
    sets = join_copies(clusters[grouped], which.astype(np.int32))
    owners[grouped] = grouped[firsts[sets]][which]
    follows = ~is_grouped & np.isin(clusters, clusters[grouped])
    if follows.any():
        nearest = np.full(len(firsts), np.inf)
        np.minimum.at(nearest, sets, nearness(grouped[firsts]))
        last_is_nearest = grouped[np.argsort(-nearest[sets][which], kind="stable")]
        owner_of = np.empty_like(clusters)
        owner_of[clusters[last_is_nearest]] = owners[last_is_nearest]  # numpy keeps the last
        owners[follows] = owner_of[clusters[follows]]
    return owners, follows


def part(numbers: Codes, owners: Codes) -> Codes:
    """Number N rows anew: equal numbers of different owners become different ones."""
    pairs = numbers.astype(np.int64) * (owners.max(initial=0) + 1) + owners
    return np.unique(pairs, return_inverse=True)[1].astype(np.int32)


def join_copies(clusters: Codes, groups: Codes) -> Codes:
    """Number the sets of groups that are copies of each other, chains included: (G,).

    Two groups that share so much have one of the rarest clusters of either in common, so that only
    these need be compared: Chaudhuri et al., "A Primitive Operator for Similarity Joins in Data
    Cleaning", 2006.

    Args:
        clusters: (N,) number of the cluster of each row.
        groups: (N,) number, from 0, of the group of each row, which all have rows.
    """
    rows, columns = np.unique(np.stack([groups, clusters]), axis=1)
    known = np.unique(columns, return_inverse=True)[1]
    sizes = np.bincount(rows)
    held = csr_array(
        (np.ones(len(rows), np.int32), (rows, known)), shape=(len(sizes), max(known) + 1)
    )
    rarest = _rarest(rows, known, sizes)
    sets = np.arange(len(sizes), dtype=np.int32)
    for left, right in _meeting(rarest):
        is_new = sets[left] != sets[right]
        left, right = left[is_new], right[is_new]
        common = held[left].multiply(held[right]).sum(axis=1)
        are_copies = common >= COPY_SHARE * np.maximum(sizes[left], sizes[right])
        sets = join(sets, left[are_copies], right[are_copies])
    return sets


def _rarest(
    rows: NDArray[np.integer], columns: NDArray[np.integer], sizes: NDArray[np.int64]
) -> csr_array:
    """The clusters of each group of which copies share one: (G, C) of ones."""
    order = np.lexsort((columns, np.bincount(columns)[columns], rows))
    rows, columns = rows[order], columns[order]
    ranks = np.arange(len(rows)) - (np.cumsum(sizes) - sizes)[rows]
    is_rare = ranks <= sizes[rows] - np.ceil(COPY_SHARE * sizes[rows] - 1e-9)
    ones = np.ones(int(is_rare.sum()), np.int32)
    shape = (len(sizes), int(columns.max()) + 1)
    return csr_array((ones, (rows[is_rare], columns[is_rare])), shape=shape)


def _meeting(rarest: csr_array) -> Iterator[tuple[Codes, Codes]]:
    """Yield pairs of groups that share a cluster, those of some groups at a time."""
    others = rarest.T.tocsr()
    for start in range(0, rarest.shape[0], _BLOCK):
        left, right = (rarest[start : start + _BLOCK] @ others).nonzero()
        left = left + start
        is_once = left < right
        yield left[is_once].astype(np.int32), right[is_once].astype(np.int32)
