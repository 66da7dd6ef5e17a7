"""Lines as they are read, however they lie: characters whose places on the page are known."""

from collections.abc import Sequence

import numpy as np

from ocr.image.cropping import crop_corners
from ocr.image.rectangle import Corners
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.words import PlacedLine


def write_line(text: str, shares: Sequence[float], box: Corners) -> PlacedLine:
    """Return a line whose characters stand at shares of a level or slanted box's length.

    What was cut out has whole pixels for corners, as everywhere; places are shares of it.
    """
    begin, end = _middles(box)
    cut_begin, cut_end = _middles(crop_corners(box))
    way = cut_end - cut_begin
    points = begin + np.array(shares)[:, None] * (end - begin)
    places = tuple(((points - cut_begin) @ way / (way @ way)).tolist())
    confidences = tuple(0.5 + 0.1 * (at % 5) for at in range(len(text)))
    return PlacedLine(Recognition(text, 0.7, confidences, places), box, box)


def _middles(corners: Corners) -> tuple[np.ndarray, np.ndarray]:
    first, second, third, fourth = corners.astype(np.float64)
    return (first + fourth) / 2, (second + third) / 2
