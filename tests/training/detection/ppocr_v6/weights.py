"""PP-OCRv6's detector for tests, where the wheel that carries its weights is installed."""

import cv2
import numpy as np
from numpy.typing import NDArray

from configs.training import DetectorTrainingParams
from training.detection.ppocr_v6.start import start_pretrained
from training.start import Start

PRETRAINED = {
    "net": "ppocr-v6-small",
    "size": "base",
    "learning_rate": 2e-4,
    "warmup_steps": 2,
}


def start() -> Start:
    return start_pretrained(DetectorTrainingParams.model_validate(PRETRAINED))


def draw_grey() -> NDArray[np.float32]:
    """A page of two words, as the net takes it: (1, 3, 96, 160), grey."""
    page = np.full((96, 160), 220, np.uint8)
    for y, word in ((36, "TOTAL"), (78, "12.50")):
        cv2.putText(page, word, (20, y), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 30, 2)
    pixels = np.broadcast_to(page / 127.5 - 1, (1, 3, 96, 160))
    return np.ascontiguousarray(pixels, dtype=np.float32)
