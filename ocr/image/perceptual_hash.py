"""A hash of what an image looks like, which changes little with how it is encoded."""

import cv2
import numpy as np

from ocr.image.pixels import GreyImage
from ocr.image.turning import ROTATIONS, turn_image

_STEP = 4  # grey levels; less is noise of the compression, in flat areas above all


def difference_hash(grey: GreyImage, *, columns: int, rows: int) -> bytes:
    """Hash an image to columns x rows bits; re-encoding, resizing or brightening changes few.

    A bit says whether a cell of the shrunk image is brighter than its left neighbour
    (http://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html).
    """
    return _hash_cells(_shrink(grey, columns + 1, rows))


def turned_hashes(grey: GreyImage, *, columns: int, rows: int) -> tuple[bytes, ...]:
    """Hash an image as each of ROTATIONS turns it: what is turned are the cells of two shrunk ones.

    The bits are those of `difference_hash` of the turned image, in a third of the time.
    """
    shrunk = (_shrink(grey, columns + 1, rows), _shrink(grey, rows, columns + 1))
    return tuple(_hash_cells(turn_image(shrunk[turn // 90 % 2], turn)) for turn in ROTATIONS)


def _shrink(grey: GreyImage, width: int, height: int) -> GreyImage:
    return np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA))


def _hash_cells(cells: GreyImage) -> bytes:
    return np.packbits(cv2.subtract(cells[:, 1:], cells[:, :-1]) > _STEP).tobytes()
