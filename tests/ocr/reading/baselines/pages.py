"""A page to be read by any program."""

import cv2
import numpy as np

from ocr.image.pixels import Image

LINES = ("HELLO WORLD", "TOTAL 77.42")


def draw_page() -> Image:
    page = np.full((300, 500, 3), 255, dtype=np.uint8)
    for row, text in enumerate(LINES):
        place = (40, 90 + 100 * row)
        cv2.putText(page, text, place, cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    return page
