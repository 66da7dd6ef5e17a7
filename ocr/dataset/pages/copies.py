"""Copies of a page, told by a 2048-bit difference hash.

Pages of one printer look alike: at the 256 bits that tell text lines apart, different receipts
on mostly white scans are equal. With 16x128 cells, about the height of a line, and the share of
differing bits among those set in either, 340 receipts of the SROIE set differ by 0.26 or more;
JPEG at quality 50, half the size, blur or brightness change 0.19 at most. Two of its pairs are the
same scan twice (0.00 and 0.04).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Candidate
from ocr.dataset.duplicates import connect
from ocr.dataset.pages.label import PageLabel
from ocr.image.perceptual_hash import difference_hash
from ocr.image.pixels import Image

COPY_SHARE = 0.2
"""Share of differing bits up to which two pages are one."""

_COLUMNS, _ROWS = 16, 128
_LEAST_BITS = 16  # of a page with less on it nothing can be said
_BLOCK = 1024


def page_hash(image: Image) -> bytes:
    """Hash a page to 256 bytes that change little when it is re-encoded, resized or brightened."""
    return difference_hash(image, columns=_COLUMNS, rows=_ROWS)


def cluster_pages(candidates: Sequence[Candidate[PageLabel]]) -> list[int]:
    """Number the clusters of copies of one page, one number per candidate."""
    return cluster_copies([candidate.encoded.hash for candidate in candidates])


def cluster_copies(hashes: Sequence[bytes]) -> list[int]:
    """Number the clusters of copies of one page, chains included; one number per hash.

    Every pair is compared: ten thousand pages take some ten seconds.
    """
    blocks = [hashes[at : at + _BLOCK] for at in range(0, len(hashes), _BLOCK)]
    found = [np.empty((2, 0), np.int64)]
    for first, left in enumerate(map(_unpack, blocks)):
        for second, right in enumerate(map(_unpack, blocks[first:]), start=first):
            starts = np.array([[first * _BLOCK], [second * _BLOCK]])
            found.append(np.array(np.nonzero(_are_copies(left, right))) + starts)
    return list(map(int, connect(len(hashes), *np.concatenate(found, axis=1))))


def _unpack(hashes: Sequence[bytes]) -> NDArray[np.float32]:
    packed = np.frombuffer(b"".join(hashes), np.uint8).reshape(len(hashes), -1)
    return np.unpackbits(packed, axis=1).astype(np.float32)


def _are_copies(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.bool_]:
    both = left @ right.T
    either = left.sum(axis=1)[:, None] + right.sum(axis=1) - both
    are_copies = (either - both <= COPY_SHARE * either) & (either >= _LEAST_BITS)
    return np.asarray(are_copies)
