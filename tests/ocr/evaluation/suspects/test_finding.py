"""The order of suspects: contradicted, read otherwise, only doubted."""

from collections.abc import Sequence

import numpy as np

from ocr.evaluation.suspects.finding import find_suspects
from ocr.evaluation.suspects.suspect import LabelledCrop
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import LabelCheck

CHECKS = {
    "read as labelled": LabelCheck(Recognition("read as labelled", 0.5, ()), 30.0, 0.0, ""),
    "a text model decided": LabelCheck(Recognition("it decided", 0.5, ()), 2.0, 0.0, ""),
    "unweighed：": LabelCheck(Recognition("unweighed:", 0.9, ()), 3.0, 0.0, "："),
    "contradicted": LabelCheck(Recognition("contradict", 0.9, ()), 9.0, 7.0, ""),
}


class Scripted:
    """Checks as it is told."""

    def check(self, images: Sequence[Image], labels: Sequence[str]) -> list[LabelCheck]:
        return [CHECKS[label] for label in labels]


def test_what_is_read_otherwise_stands_before_what_is_read_as_labelled() -> None:
    image = np.zeros((8, 8, 3), np.uint8)
    crops = [(LabelledCrop(text, "", 0, "test", "rec", text), image) for text in CHECKS]

    found = find_suspects(crops, Scripted(), most=4)

    assert [each.crop.text for each in found] == list(CHECKS)[::-1]
    assert [each.unknown_codes for each in found] == ["", "U+FF1A", "", ""]
