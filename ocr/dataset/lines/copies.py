"""Copies of a line, told by a 256-bit difference hash in near-linear time.

32x8 cells keep text crops apart: on 800 licence plates of one layout the closest two differ in 46
bits, while JPEG at quality 70 or doubling the size changes at most 22. The usual 8x8 cells overlap.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.duplicates import join
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.split import Codes, where
from ocr.image.perceptual_hash import difference_hash
from ocr.image.pixels import GreyImage

HASH_BYTES = 32
_COLUMNS, _ROWS = 32, 8
_WINDOW = 32
_ROWS_AT_ONCE = 1 << 17


def line_hash(grey: GreyImage) -> bytes:
    """Hash a line to 256 bits that change little when it is re-encoded, resized or brightened."""
    return difference_hash(grey, columns=_COLUMNS, rows=_ROWS)


def cluster_lines(candidates: CandidateTable[LineLabel], *, bits: int) -> Codes:
    """Number the clusters of near-duplicates of one text, one number per candidate.

    Texts are gone through some at a time, because comparing takes ten times what is compared.
    """
    texts = candidates.column("label")
    parts = len(texts) // _ROWS_AT_ONCE + 1
    part_of = (texts % parts).astype(np.int16)
    clusters = np.arange(len(texts), dtype=np.int32)
    for part in range(parts):
        rows = where(part_of == part)
        found = cluster_near(candidates.records(rows)["hash"], texts[rows], bits=bits)
        clusters[rows] = rows[found]
    return clusters


def cluster_near(hashes: NDArray[np.uint8], texts: NDArray[np.int64], *, bits: int) -> Codes:
    """Cluster rows of one text whose hashes differ in at most `bits` bits, chains included.

    Hashes are cut into bits + 1 bands, of which two such hashes share one at least. Rows are
    sorted by each band and text and compared with the next 32 of the same key: time stays linear
    where thousands of images look alike, and there chains of neighbours connect them. Only equal
    texts cluster: crops of one font and layout look alike, and when their texts differ they are
    different samples.

    Args:
        hashes: (N, 32) bytes of `line_hash`.
        texts: (N,) a number per distinct text.
        bits: Largest number of differing bits.

    Returns:
        (N,) the first row of the cluster that each row is in.
    """
    hashes = np.ascontiguousarray(hashes)
    labels = np.arange(len(hashes), dtype=np.int32)
    rows, copies = _distinct(hashes, texts)
    labels = join(labels, *copies)
    rows = rows[_is_shared(texts[rows])]
    words, unpacked = hashes[rows].view(np.uint64), np.unpackbits(hashes[rows], axis=1)
    for band in np.array_split(np.arange(unpacked.shape[1]), bits + 1):
        keys = _mix(np.packbits(unpacked[:, band], axis=1), texts[rows])
        for left, right in _neighbours(keys):
            is_new = labels[rows[left]] != labels[rows[right]]
            left, right = left[is_new], right[is_new]
            is_near = np.bitwise_count(words[left] ^ words[right]).sum(axis=1) <= bits
            is_near &= texts[rows[left]] == texts[rows[right]]
            labels = join(labels, rows[left[is_near]], rows[right[is_near]])
    return labels


def _distinct(
    hashes: NDArray[np.uint8], texts: NDArray[np.int64]
) -> tuple[Codes, tuple[Codes, Codes]]:
    """One row of each hash and text, and pairs that tie the others to it."""
    order = np.argsort(_mix(hashes, texts), kind="stable").astype(np.int32)
    left, right = order[:-1], order[1:]
    is_copy = (hashes[left] == hashes[right]).all(axis=1) & (texts[left] == texts[right])
    is_first = np.ones(len(order), bool)
    is_first[1:] = ~is_copy
    return order[is_first], (left[is_copy], right[is_copy])


def _is_shared(texts: NDArray[np.int64]) -> NDArray[np.bool_]:
    _, which, counts = np.unique(texts, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] > 1)


def _mix(band: NDArray[np.uint8], texts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """One number per row; equal for equal bands and texts, rarely so for others."""
    factors = np.random.default_rng(0).integers(1, 2**63, size=band.shape[1] + 1, dtype=np.uint64)
    mixed: NDArray[np.uint64] = texts.astype(np.uint64) * (factors[-1] | np.uint64(1))
    for column, factor in zip(band.T, factors, strict=False):
        mixed += column * (factor | np.uint64(1))
    return mixed


def _neighbours(
    keys: NDArray[np.uint64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield pairs of rows of equal keys: each with the next, the one after it, and so on."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    at = np.arange(len(order))
    for distance in range(1, _WINDOW + 1):
        at = at[at + distance < len(order)]
        at = at[ordered[at] == ordered[at + distance]]
        if not len(at):
            return
        yield order[at], order[at + distance]
