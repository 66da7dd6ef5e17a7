"""What of a label file is held at once while a model is measured on it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.labels.text_rule import USUAL
from ocr.image.pixels import Image, encode_jpeg
from ocr.reading.recognition.ctc import Recognition
from tasks.measuring.labels import measure_line_labels

LARGE = (2000, 1500, 3)


class Counting:
    """Reads the brightness of an image, and keeps how many it was asked for at once."""

    name = "counting"

    def __init__(self) -> None:
        self.at_once: list[int] = []

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        self.at_once.append(len(images))
        return [Recognition(str(image[0, 0, 0]), 1.0, ()) for image in images]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([(8, 24, 3)] * 70, [32, 32, 6]),
        ([LARGE] * 5, [2, 2, 1]),
        ([*[(8, 24, 3)] * 3, LARGE, LARGE, (8, 24, 3)], [5, 1]),
    ],
    ids=["small", "large", "mixed"],
)
def test_few_images_of_a_label_file_are_held_at_once_and_all_are_read(
    sizes: Sequence[tuple[int, ...]], expected: Sequence[int], tmp_path: Path
) -> None:
    for number, size in enumerate(sizes):
        image = np.full(size, number, np.uint8)
        (tmp_path / f"{number}.jpg").write_bytes(encode_jpeg(image))
    rows = [f"{number}.jpg\t{number}\n" for number in range(len(sizes))]
    (tmp_path / "rec.txt").write_text("".join([*rows[:1], "gone.jpg\t7\n", *rows[1:]]))
    reader = Counting()

    metrics, rejections = measure_line_labels(reader, tmp_path / "rec.txt", USUAL)

    assert reader.at_once == expected
    assert (metrics["n"], metrics["accuracy"], metrics["left_out"]) == (len(sizes), 1, 1)
    assert [each.reason for each in rejections] == ["missing_image"]
