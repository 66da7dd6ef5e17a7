"""How long an image takes, alone and in a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser


@dataclass(frozen=True)
class Latency:
    """Milliseconds per image.

    Attributes:
        single_ms: Median of images read one at a time; ``single_p95_ms``: their 95th percentile.
        batch_ms: Mean of images read in batches of ``batch_size``.
    """

    single_ms: float
    single_p95_ms: float
    batch_ms: float
    batch_size: int


@dataclass
class Stopwatch:
    """Reads with one recogniser and keeps the time."""

    recogniser: Recogniser
    batch_size: int
    _batch_s: list[float] = field(default_factory=list)
    _single_s: list[float] = field(default_factory=list)
    _images: int = 0

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
    def latency(self) -> Latency:
        """What was measured so far."""
        return Latency(
            single_ms=1000 * float(np.median(self._single_s)),
            single_p95_ms=1000 * float(np.quantile(self._single_s, 0.95)),
            batch_ms=1000 * sum(self._batch_s) / self._images,
            batch_size=self.batch_size,
        )
