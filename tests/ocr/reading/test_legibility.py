"""What lines tell of how their page lies."""

from collections.abc import Sequence

import numpy as np
import pytest

from ocr.reading.legibility import FoundLine, lies_well
from ocr.reading.recognition.ctc import Recognition

LONG, TALL, SQUARE = (80, 20), (20, 80), (24, 20)


def found(size: tuple[int, int], text: str, confidence: float) -> FoundLine:
    width_px, height_px = size
    box = np.array([(0, 0), (width_px, 0), (width_px, height_px), (0, height_px)], np.float32)
    return box, Recognition(text, confidence, ())


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], False),
        ([found(LONG, "ABCD", 0.95)], True),
        ([found(LONG, "ABCD", 0.86)], False),  # upside down
        ([found(TALL, "ABCD", 0.99)], False),
        ([found(SQUARE, "A", 0.99)] * 3, False),
        ([found(LONG, "ABCD", 0.95), *[found(SQUARE, "A", 0.99)] * 2], False),
        ([found(LONG, "ABCD", 0.95), found(SQUARE, "A", 0.99)], True),
        ([found(LONG, "ABCD", 0.8), found(SQUARE, "ABCD", 0.99)], False),
        ([found(LONG, "ABCD", 0.95), found(SQUARE, "ABCD", 0.5)], False),
    ],
)
def test_a_page_lies_well_by_long_lines_that_read_surely(
    lines: Sequence[FoundLine], expected: bool
) -> None:
    assert lies_well(lines) == expected
