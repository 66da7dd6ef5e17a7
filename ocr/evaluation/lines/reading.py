"""Lines as read by one recogniser or two, beside their labels, and how long that takes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Protocol

import cv2
import numpy as np

from ocr.evaluation.lines.report import EvaluatedLine, LineLatency, Reading
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser

TIMED_ALONE = 50
_BLUR_HEIGHT_PX = 32


class LabelledLine(Protocol):
    """A test line: a row of a snapshot's table."""

    @property
    def id(self) -> str:
        """SHA-256 of the encoded image."""

    @property
    def text(self) -> str:
        """What the image reads."""

    @property
    def source(self) -> str:
        """Where it came from."""

    @property
    def group(self) -> str:
        """The document it belongs to; empty: none."""


@dataclass
class Stopwatch:
    """Reads with one recogniser and keeps the time."""

    recogniser: Recogniser
    batch_size: int
    _batch_s: list[float] = field(default_factory=list)
    _single_s: list[float] = field(default_factory=list)
    _images: int = 0

    def warm_up(self, images: Sequence[Image]) -> None:
        """Read a batch, and one image alone, outside the clock."""
        self.recogniser.recognise(images)
        self.recogniser.recognise(images[:1])

    def read(self, images: Sequence[Image]) -> list[Recognition]:
        """Read a batch."""
        started = perf_counter()
        readings = self.recogniser.recognise(images)
        self._batch_s.append(perf_counter() - started)
        self._images += len(images)
        return readings

    def read_alone(self, image: Image) -> None:
        """Read one image for its time only."""
        started = perf_counter()
        self.recogniser.recognise([image])
        self._single_s.append(perf_counter() - started)

    @property
    def latency(self) -> LineLatency:
        """What was measured so far."""
        return LineLatency(
            single_ms=1000 * float(np.median(self._single_s)),
            single_p95_ms=1000 * float(np.quantile(self._single_s, 0.95)),
            batch_ms=1000 * sum(self._batch_s) / self._images,
            batch_size=self.batch_size,
        )


def read_lines(
    readers: Sequence[Stopwatch],
    samples: Iterable[tuple[LabelledLine, Image]],
    *,
    batch_size: int,
) -> Iterator[EvaluatedLine]:
    """Read batch by batch with one recogniser or two, which take turns in being first."""
    remaining = iter(samples)
    batches = iter(lambda: list(islice(remaining, batch_size)), [])
    for number, batch in enumerate(batches):
        images = [image for _, image in batch]
        if number == 0:
            for reader in readers:
                reader.warm_up(images)
        turn = readers if number % 2 == 0 else readers[::-1]
        readings = {id(reader): reader.read(images) for reader in turn}
        for image in images[: max(0, TIMED_ALONE - number * batch_size)]:
            for reader in turn:
                reader.read_alone(image)
        columns = [readings[id(reader)] for reader in readers]
        for (sample, image), *read in zip(batch, *columns, strict=True):
            yield _to_line(sample, image, read)


def sharpness_of(image: Image) -> float:
    """Return the variance of the Laplacian of a BGR image (H, W, 3), at one common height."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    width_px = max(1, round(gray.shape[1] * _BLUR_HEIGHT_PX / gray.shape[0]))
    resized = cv2.resize(gray, (width_px, _BLUR_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(resized, cv2.CV_64F).var())


def _to_line(sample: LabelledLine, image: Image, read: Sequence[Recognition]) -> EvaluatedLine:
    ours, *theirs = (Reading(text=item.text, confidence=item.confidence) for item in read)
    return EvaluatedLine(
        id=sample.id,
        text=sample.text,
        source=sample.source,
        group=sample.group,
        width_px=image.shape[1],
        height_px=image.shape[0],
        sharpness=sharpness_of(image),
        candidate=ours,
        opponent=theirs[0] if theirs else None,
    )
