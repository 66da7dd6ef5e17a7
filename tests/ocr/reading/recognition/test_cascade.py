"""A cascade: which lines the accurate recogniser is asked for, and whose answer counts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ocr.image.pixels import Image
from ocr.models.pipeline import read_pipeline
from ocr.reading.recognition.cascade import CascadeRecogniser, load_recognisers
from ocr.reading.recognition.ctc import Recognition
from tests.toy_pipeline import write_toy_pipeline


class Scripted:
    """Reads the number in an image's first pixel, each as the script says."""

    def __init__(self, name: str, *script: tuple[str, tuple[float, ...]]) -> None:
        self.name = name
        self.asked: list[list[int]] = []
        self._script = script

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        numbers = [int(image[0, 0, 0]) for image in images]
        self.asked.append(numbers)
        read = [self._script[number] for number in numbers]
        return [
            Recognition(text, float(np.mean(each or [0.0])), character_confidences=each)
            for text, each in read
        ]


FAST = (("A8", (0.99, 0.4)), ("B", (0.9,)), ("", ()), ("C", (0.5,)))
ACCURATE = (("AB", (0.9, 0.3)), ("-", (1.0,)), ("D", (0.8,)), ("-", (1.0,)))


def images() -> list[Image]:
    return [np.full((4, 8, 3), number, dtype=np.uint8) for number in range(len(FAST))]


def test_lines_with_an_unsure_character_or_none_are_read_again_in_their_order() -> None:
    fast, accurate = Scripted("fast:1", *FAST), Scripted("accurate:1", *ACCURATE)

    read = CascadeRecogniser(fast, accurate, below=0.5).recognise(images())

    assert [line.text for line in read] == ["AB", "B", "D", "C"]
    assert [line.is_reread for line in read] == [True, False, True, False]
    assert (fast.asked, accurate.asked) == ([[0, 1, 2, 3]], [[0, 2]])


def test_the_accurate_one_rests_where_all_is_sure() -> None:
    accurate = Scripted("accurate:1", *ACCURATE)
    cascade = CascadeRecogniser(Scripted("fast:1", *FAST), accurate, below=0.5)

    assert [line.text for line in cascade.recognise([images()[1]])] == ["B"]
    assert cascade.recognise([]) == []
    assert accurate.asked == []


def test_a_pipeline_with_a_second_recogniser_is_read_by_a_cascade(tmp_path: Path) -> None:
    script = {"toy-recogniser:r1": FAST, "exact:r9": ACCURATE}

    def texts(folder: Path) -> list[str]:
        loaded = load_recognisers(read_pipeline(folder), lambda name: Scripted(name, *script[name]))
        return [line.text for line in loaded.recognise(images())]

    alone = write_toy_pipeline(tmp_path / "alone")
    cascade = write_toy_pipeline(
        tmp_path / "cascade", second_recogniser="exact:r9", reread_below=0.45
    )

    assert texts(alone) == ["A8", "B", "", "C"]
    assert texts(cascade) == ["AB", "B", "D", "C"]
