import random

import numpy as np
import pytest

from ocr.synthesis.fonts import find_fonts
from ocr.synthesis.lines.plates import CELL_PX, paint_plate

AILERON = find_fonts([], system_folders=[])[0]


@pytest.mark.parametrize("text", ["8", "88888888"])
def test_every_character_is_stamped_in_its_cell(text: str) -> None:
    for seed in range(30):
        plate = paint_plate(text, fonts={"8": AILERON}, rng=random.Random(seed)).astype(int)

        height, width = plate.shape[:2]
        assert width >= len(text) * CELL_PX[0]
        middle = plate[height // 2 - 20 : height // 2 + 20]
        for place in range(len(text)):
            x = round((place + 0.5) * (width - 28) / len(text)) + 14
            assert np.ptp(middle[:, max(x - 9, 0) : x + 9], axis=(0, 1)).max() > 50
