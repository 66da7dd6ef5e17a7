"""A hash of what an image looks like, which changes little with how it is encoded."""

import cv2
import numpy as np

from ocr.image.pixels import GreyImage

_STEP = 4  # grey levels; less is noise of the compression, in flat areas above all


def difference_hash(grey: GreyImage, *, columns: int, rows: int) -> bytes:
    """Hash an image to columns x rows bits; re-encoding, resizing or brightening changes few.

    A bit says whether a cell of the shrunk image is brighter than its left neighbour
    (http://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html).
    """
    cells = cv2.resize(grey, (columns + 1, rows), interpolation=cv2.INTER_AREA)
    return np.packbits(cv2.subtract(cells[:, 1:], cells[:, :-1]) > _STEP).tobytes()
