import cv2
import numpy as np

from ocr.evaluation.lines.reading import sharpness_of


def test_blurred_image_is_less_sharp() -> None:
    image = np.zeros((24, 94, 3), dtype=np.uint8)
    image[:, ::6] = 255

    assert sharpness_of(cv2.GaussianBlur(image, (7, 7), 0)) < sharpness_of(image)
