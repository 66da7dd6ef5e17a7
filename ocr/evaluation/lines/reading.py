"""Lines as a recogniser read them, beside their labels."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol

import cv2

from ocr.evaluation.elsewhere import Placed, Readings
from ocr.evaluation.lines.report import EvaluatedLine, Reading
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser

_BLUR_HEIGHT_PX = 32


class LabelledLine(Placed, Protocol):
    """A test line: a row of a snapshot's table."""

    @property
    def text(self) -> str:
        """What the image reads."""

    @property
    def source(self) -> str:
        """Where it came from."""

    @property
    def group(self) -> str:
        """The document it belongs to; empty: none."""


def read_lines(
    recogniser: Recogniser | Readings[Recognition],
    samples: Iterable[tuple[LabelledLine, Image]],
    *,
    batch_size: int,
) -> Iterator[EvaluatedLine]:
    """Read batch by batch."""
    remaining = iter(samples)
    for batch in iter(lambda: list(islice(remaining, batch_size)), []):
        if isinstance(recogniser, Readings):
            texts = [recogniser.of(sample) for sample, _ in batch]
        else:
            texts = recogniser.recognise([image for _, image in batch])
        for (sample, image), text in zip(batch, texts, strict=True):
            yield _to_line(sample, image, text)


def sharpness_of(image: Image) -> float:
    """Return the variance of the Laplacian of a BGR image (H, W, 3), at one common height."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    width_px = max(1, round(gray.shape[1] * _BLUR_HEIGHT_PX / gray.shape[0]))
    resized = cv2.resize(gray, (width_px, _BLUR_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(resized, cv2.CV_64F).var())


def _to_line(sample: LabelledLine, image: Image, read: Recognition) -> EvaluatedLine:
    return EvaluatedLine(
        id=sample.id,
        text=sample.text,
        source=sample.source,
        group=sample.group,
        width_px=image.shape[1],
        height_px=image.shape[0],
        sharpness=sharpness_of(image),
        candidate=Reading(text=read.text, confidence=read.confidence),
        opponent=None,
    )
