"""The crops that wait for a worker: one of each request in turn, never of two models at once."""

import asyncio
from collections import deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from ocr.errors import ProcessDied
from ocr.image.pixels import BadImage
from serving.workers.faults import describe_fault

MOST_CROPS: Final = 8
"""Of a batch: more save nothing (a line net takes 980 us for one, 630 for each of 8 and of 32)."""
MOST_BYTES: Final = 2**20
"""Of a batch of several, encoded: what is large takes a while, and is read alone."""


class CropRequest:
    """The crops of one request, and what was read of them so far.

    Attributes:
        answers: Of each `text` and `confidence`, or `fault`; None: it is not read yet.
        refused_at: Where no more was read; -1: nowhere.
        losses: Workers that ended over a crop of it that was read alone.
        done: When there will be no more of them.
    """

    __slots__ = (
        "_next",
        "_partial",
        "_pixels_left",
        "answers",
        "done",
        "images",
        "losses",
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
        partial: bool = False,
    ) -> None:
        """Begin with nothing read.

        Args:
            model: What reads them.
            images: Encoded.
            done: Is told when all are answered, or no more will be.
            most_pixels: Of all together; no more is read where they have more.
            partial: Whether to read on where one cannot be read.
        """
        self.model = model
        self.images = images
        self.done = done
        self._pixels_left = most_pixels
        self._partial = partial
        self.answers: list[Mapping[str, Any] | None] = [None] * len(images)
        self.unread = len(images)
        self.since = perf_counter()
        self.refused_at = -1
        self.losses = 0
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
            self.refuse(index, BadImage("decompression_bomb", "too many pixels in one request"))
            return
        self.answers[index] = answer
        self.unread -= 1
        if not self.unread or ("fault" in answer and not self._partial):
            self._finish()

    def refuse(self, index: int, fault: BadImage) -> None:
        """Have no more read: it is this crop's fault."""
        self.answers[index] = {"fault": describe_fault(fault)}
        self.refused_at = index
        self._finish()

    def _finish(self) -> None:
        if not self.done.done():
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

    @property
    def is_wanted(self) -> bool:
        """Whether it is to be read yet."""
        return not self.request.done.done() and self.request.answers[self.index] is None


class CropQueue:
    """What waits, for the event loop alone."""

    def __init__(self) -> None:
        self._waiting: deque[CropRequest] = deque()
        self._suspects: deque[Crop] = deque()
        self._suspect: Crop | None = None

    def __bool__(self) -> bool:
        return bool(self._waiting or self._suspects)

    def add(self, request: CropRequest) -> None:
        """Let a request wait."""
        self._waiting.append(request)

    def put_back(self, crop: Crop) -> None:
        """Let a crop be read again, and alone: a worker has ended over it, or over another."""
        if crop is self._suspect:
            self._suspect = None
        self._suspects.append(crop)

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
        if suspect := self._take_suspect(models):
            return [suspect]
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

    def give_up(self, model: str) -> None:
        """Refuse what waits for a model, which no worker has any more."""
        gone = describe_fault(ProcessDied(f"No process has {model.partition('#')[0]} any more"))
        for request in {*self._waiting, *(crop.request for crop in self._suspects)}:
            if request.model == model and not request.done.done():
                request.answers = [answer or {"fault": gone} for answer in request.answers]
                request.done.set_result(None)

    def _take_suspect(self, models: Container[str]) -> Crop | None:
        """Take the next one that is read alone; none while another is, which may end its worker."""
        if self._suspect is not None and self._suspect.is_wanted:
            return None
        for _ in range(len(self._suspects)):
            crop = self._suspects.popleft()
            if not crop.is_wanted:
                continue
            if crop.request.model in models:
                self._suspect = crop
                return crop
            self._suspects.append(crop)
        return None
