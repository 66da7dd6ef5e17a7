"""Made-up recognisers and test lines, and what comes of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from ocr.evaluation.lines.evaluate import evaluate_lines, pair_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition


@dataclass(frozen=True)
class DrawnLine:
    id: str
    text: str
    source: str
    group: str
    image: str = ""


@dataclass
class ScriptedRecogniser:
    """Reads the number that `draw` hid in an image's first pixels, and answers from its script."""

    name: str
    answer: Callable[[int], tuple[str, float]]

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        answers = [self.answer(int(image[0, 0, 0]) + 256 * int(image[0, 0, 1])) for image in images]
        return [
            Recognition(text=text, confidence=confidence, character_confidences=())
            for text, confidence in answers
        ]


def draw(number: int, text: str) -> Image:
    image = np.full((32, 128, 3), 200, dtype=np.uint8)
    cv2.putText(image, text, (4, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (40, 30, 20), 2)
    image[0, 0] = (number % 256, number // 256, 0)
    return image


def lines(texts: Sequence[str], *, groups: Sequence[str] = ()) -> list[tuple[DrawnLine, Image]]:
    return [
        (
            DrawnLine(
                id=f"{number:064x}",
                text=text,
                source="labels.txt",
                group=groups[number] if groups else "",
            ),
            draw(number, text),
        )
        for number, text in enumerate(texts)
    ]


def evaluate_scripted(
    *,
    candidate: ScriptedRecogniser,
    samples: Iterable[tuple[DrawnLine, Image]],
    opponent: ScriptedRecogniser | None = None,
    required_accuracy: float | None = None,
    training_counts: Mapping[str, int] | None = None,
    resamples: int = 200,
    batch_size: int = 32,
) -> LinesReport:
    drawn = list(samples)
    evaluate = partial(evaluate_lines, resamples=resamples, seed=0, batch_size=batch_size)
    return pair_lines(
        evaluate(candidate, drawn),
        evaluate(opponent, drawn) if opponent else None,
        required_accuracy=required_accuracy,
        training_counts=training_counts or {},
    )
