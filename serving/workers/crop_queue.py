"""The crops that wait for a worker: one of each request in turn, never of two models at once."""

import asyncio
from collections import deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from ocr.image.pixels import BadImage
from serving.workers.faults import describe_fault

MOST_CROPS: Final = 8
"""Of a batch: more save nothing (a line net takes 980 us for one, 630 for each of 8 and of 32)."""
MOST_BYTES: Final = 2**20
"""Of a batch of several, encoded: what is large takes a while, and is read alone."""


_TOO_MANY_PIXELS: Final = {
    "fault": describe_fault(BadImage("decompression_bomb", "too many pixels in one request"))
}


class CropRequest:
    """The crops of one request, and what was read of them so far.

    Attributes:
        answers: Of each `text` and `confidence`, or `fault`; None: it is not read yet.
        refused_at: Where no more was read; -1: nowhere.
        done: When there will be no more of them.
    """

    __slots__ = (
        "_next",
        "_pixels_left",
        "answers",
        "done",
        "images",
        "model",
        "refused_at",
        "since",
        "unread",
    )

    def __init__(
        self,
        model: str,
        images: Sequence[bytes],
        done: "asyncio.Future[None]",
        *,
        most_pixels: int = 2**62,
    ) -> None:
        """Begin with nothing read.

        Args:
            model: What reads them.
            images: Encoded.
            done: Is told when all are answered, or no more will be.
            most_pixels: Of all together; no more is read where they have more.
        """
        self.model = model
        self.images = images
        self.done = done
        self._pixels_left = most_pixels
        self.answers: list[Mapping[str, Any] | None] = [None] * len(images)
        self.unread = len(images)
        self.since = perf_counter()
        self.refused_at = -1
        self._next = 0

    @property
    def waits(self) -> bool:
        """Whether a crop of it is to be read yet."""
        return self._next < len(self.images) and not self.done.done()

    def next_crop(self) -> "Crop":
        """Take the next crop."""
        self._next += 1
        return Crop(self, self._next - 1)

    def answer(self, index: int, answer: Mapping[str, Any]) -> None:
        """Keep what was read of a crop."""
        self._pixels_left -= answer.get("pixels", 0)
        if self._pixels_left < 0:
            answer = _TOO_MANY_PIXELS
            self.refused_at = index
        self.answers[index] = answer
        self.unread -= 1
        if (self.refused_at >= 0 or not self.unread) and not self.done.done():
            self.done.set_result(None)


@dataclass(slots=True, eq=False)
class Crop:
    """One crop on its way; `losses` workers ended over it."""

    request: CropRequest
    index: int
    losses: int = 0

    @property
    def content(self) -> bytes:
        """The encoded image."""
        return self.request.images[self.index]


class CropQueue:
    """What waits, for the event loop alone."""

    def __init__(self) -> None:
        self._waiting: deque[CropRequest] = deque()
        self._alone: deque[Crop] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting or self._alone)

    def add(self, request: CropRequest) -> None:
        """Let a request wait."""
        self._waiting.append(request)

    def put_back(self, crop: Crop) -> None:
        """Let a crop be read before all others, and alone: what it was read with ended."""
        self._alone.append(crop)

    def share(self, idle: int) -> int:
        """Return how many crops one of so many idle workers takes, so that all have some."""
        waiting = 0
        for request in self._waiting:
            waiting += request.unread
            if waiting >= MOST_CROPS * idle:
                return MOST_CROPS
        return -(-waiting // idle)

    def take(self, most: int, *, models: Container[str]) -> list[Crop]:
        """Take crops of one of these models: one of each request in turn, up to so many."""
        for _ in range(len(self._alone)):
            crop = self._alone.popleft()
            if crop.request.done.done():
                continue
            if crop.request.model in models:
                return [crop]
            self._alone.append(crop)
        taken: list[Crop] = []
        passed: list[CropRequest] = []
        size, model = 0, ""
        while self._waiting and len(taken) < most and size < MOST_BYTES:
            request = self._waiting.popleft()
            if not request.waits:
                continue
            if request.model != model and (model or request.model not in models):
                passed.append(request)
                continue
            model = request.model
            crop = request.next_crop()
            taken.append(crop)
            size += len(crop.content)
            if request.waits:
                self._waiting.append(request)
        self._waiting.extendleft(reversed(passed))
        return taken
