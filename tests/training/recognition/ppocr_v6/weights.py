"""PP-OCRv6's weights for tests, where the wheel that carries them is installed."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from configs.training import RecogniserTrainingParams
from ocr.models.charset import Charset
from training.recognition.ppocr_v6.graph import RecogniserGraph
from training.recognition.ppocr_v6.start import start_pretrained
from training.recognition.start import RecogniserStart

needs_rapidocr = pytest.mark.skipif(find_spec("rapidocr") is None, reason="rapidocr is missing")

CHARACTERS = (" ", "0", "1", "A", "皖", "ዕ")
"""Known ones, of which some have variants, and one that PP-OCRv6 has not."""

PRETRAINED = {
    "net": "ppocr-v6-small",
    "height_px": 48,
    "width_px": 96,
    "size": "base",
    "guide_weight": 0,
    "learning_rate": 1e-4,
    "warmup_steps": 2,
}


@cache
def read_graph() -> RecogniserGraph:
    return RecogniserGraph()


def start(*, keep_charset: bool = False) -> RecogniserStart:
    params = RecogniserTrainingParams.model_validate({**PRETRAINED, "keep_charset": keep_charset})
    return start_pretrained(params, Charset(CHARACTERS))


def draw_pixels(width_px: int = 96) -> NDArray[np.float32]:
    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, 48, width_px))
    return (pixels / 127.5 - 1).astype(np.float32)
