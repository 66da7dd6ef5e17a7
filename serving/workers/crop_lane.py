"""The way of crops to one worker: a batch at a time, on the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

from ocr.image.pixels import BadImage
from ocr.wire import WireBroken, encode, take_message
from serving.metrics import ServingMetrics
from serving.settings import Engine
from serving.workers.crop_queue import Crop
from serving.workers.worker import Worker

ANSWER_S: Final[dict[Engine, float]] = {"onnxruntime": 10.0, "paddle": 10.0, "paddle-serving": 30.0}
"""Longest time of a batch; a worker that takes longer hangs. Twenty megapixels take 0.5 s, and
Paddle Serving tells of a process that hangs within 25 s."""
LOSSES: Final = 3
"""So many workers that end over a request, after the first over one crop alone, tell that it is to
blame."""


class CropLane(asyncio.Protocol):
    """Sends batches to a worker and crops their answers."""

    def __init__(
        self,
        worker: Worker,
        *,
        on_idle: Callable[["CropLane"], None],
        on_lost: Callable[[Crop], None],
        answer_s: float,
        metrics: ServingMetrics,
    ) -> None:
        """Belong to a worker.

        Args:
            worker: Whose process answers.
            on_idle: Is called when it can take a batch.
            on_lost: Is called for every crop that it was reading when it ended.
            answer_s: Longest time of a batch.
            metrics: What is counted.
        """
        self.worker = worker
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.idle_since = 0.0
        self.reading_s = 0.0  # crops, in all
        self._on_idle = on_idle
        self._on_lost = on_lost
        self._answer_s = answer_s
        self._metrics = metrics
        self._received = bytearray()
        self._crops: list[Crop] | None = None
        self._late: asyncio.TimerHandle | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it reads."""
        return self._crops is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready."""
        self._transport: Any = transport

    def read(self, crops: Sequence[Crop], *, max_pixels: int) -> None:
        """Have crops of one model read; of none, to see whether it answers at all."""
        if self.ended.done():  # and whoever keeps it up has not been told yet
            for crop in crops:
                self._on_lost(crop)
            return
        self._crops = list(crops)
        contents = [crop.content for crop in crops]
        model = crops[0].request.model if crops else ""
        sizes = [len(content) for content in contents]
        message = encode({"model": model, "sizes": sizes, "max_pixels": max_pixels})
        self._transport.write(b"".join((message, *contents)))
        loop = asyncio.get_running_loop()
        late = f"no answer in {self._answer_s:g} s"
        self._late = loop.call_later(self._answer_s, self._end, late)
        now = perf_counter()
        for crop in crops:
            self._metrics.queue_seconds.observe(now - crop.request.since)
        if crops:
            self._metrics.batch_crops.observe(len(crops))

    def data_received(self, data: bytes) -> None:
        """Take an answer."""
        self._received += data
        try:
            message = take_message(self._received)
            if message is not None:
                self._take(message)
        except (WireBroken, LookupError, TypeError, ValueError) as error:
            self._end(str(error))

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up what it was reading."""
        self._end(str(exc or "it ended"))

    def _take(self, message: dict[str, Any]) -> None:
        crops, answers = self._crops, message["answers"]
        if crops is None or len(answers) != len(crops):
            raise WireBroken("an answer to no question")
        self._crops = None
        self._rest()
        for crop, answer in zip(crops, answers, strict=True):
            crop.request.answer(crop.index, answer)
        if crops:
            name = crops[0].request.model.partition(":")[0]
            seconds = float(message["seconds"])
            self.reading_s += seconds
            self._metrics.inference_seconds.labels(name).observe(seconds)

    def _rest(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self.idle_since = asyncio.get_running_loop().time()
        self._on_idle(self)

    def _end(self, why: str) -> None:
        if self.ended.done():
            return
        if self._late is not None:
            self._late.cancel()
        self.ended.set_result(why)
        self.worker.kill()
        self._transport.abort()
        for crop in self._crops or ():
            if crop.losses:
                crop.request.losses += 1
            crop.losses += 1
            if crop.request.losses < LOSSES - 1:
                self._on_lost(crop)
            else:
                fault = BadImage("unreadable_image", f"{LOSSES} processes ended over it")
                crop.request.refuse(crop.index, fault)
        self._crops = None
