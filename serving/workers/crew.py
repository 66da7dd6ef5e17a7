"""The workers of a gateway: who hands work to them, loads models into them and replaces them."""

import asyncio
import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from ocr.errors import OcrError, ProcessDied
from ocr.image.pixels import Image
from serving.metrics import ServingMetrics
from serving.workers.crop_lane import ANSWER_S, CropLane
from serving.workers.crop_queue import Crop, CropQueue, CropRequest
from serving.workers.faults import WorkerFailed
from serving.workers.model_files import digest_manifests
from serving.workers.page_lanes import PageLanes
from serving.workers.worker import START_S, Worker

LOG = logging.getLogger("ocrline.serving")

LOOK_S: Final = 2.0
"""Between looks at who is idle, and after a worker that did not start."""


class Crew:
    """So many workers. Crops come and go on the event loop, pages and models in threads."""

    def __init__(
        self,
        setup: Mapping[str, Any],
        *,
        workers: int,
        max_pixels: int,
        page_timeout_s: float,
        metrics: ServingMetrics,
    ) -> None:
        """Start none yet.

        Args:
            setup: What each runs: engine, threads, paddle_serving.
            workers: How many.
            max_pixels: Of one crop.
            page_timeout_s: For one page: nobody waits for it any longer.
            metrics: What is counted.
        """
        self._setup = setup
        self._count = workers
        self._max_pixels = max_pixels
        self._metrics = metrics
        self._queue = CropQueue()
        self._idle: list[CropLane] = []
        self._is_due = False
        self._changed = threading.Condition()
        self._up: dict[Worker, CropLane] = {}
        self._starting = 0
        self._models: dict[str, tuple[Path, Mapping[str, str]]] = {}  # and `digest_manifests`
        self.damaged: dict[str, str] = {}  # why a worker could not load a model again
        self._is_closed = False
        self._pages = PageLanes(
            workers,
            threads=setup["threads"],
            timeout_s=page_timeout_s,
            is_busy=lambda worker: bool((lane := self._up.get(worker)) and lane.is_busy),
            crops_s=lambda worker: lane.reading_s if (lane := self._up.get(worker)) else 0.0,
        )
        self._all: set[Worker] = set()

    def start(self) -> None:
        """Start them all; each is replaced when it ends."""
        self._starting = self._count
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self._count)]
        self._watcher = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """End them all; what waits is never begun."""
        self._watcher.cancel()
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            for worker in self._all:
                worker.kill()
        await asyncio.gather(*self._keepers)
        self._pages.close()

    def read_crops(
        self, model: str, images: Sequence[bytes], *, most_pixels: int, partial: bool = False
    ) -> CropRequest:
        """Have encoded crops read, together with those of other requests.

        Args:
            model: What reads them.
            images: JPEG and so on.
            most_pixels: Of all together.
            partial: Whether to read on where one cannot be read.

        Returns:
            What is done when no more is read; cancelled, no more is.
        """
        loop = asyncio.get_running_loop()
        request = CropRequest(
            model, images, loop.create_future(), most_pixels=most_pixels, partial=partial
        )
        self._queue.add(request)
        self._hand_out_soon()
        return request

    async def read_page(
        self, model: str, image: Image, options: Mapping[str, float]
    ) -> dict[str, Any]:
        """Have a (H, W, 3) BGR page read. Raises as `Worker.read_page`."""
        return await self._pages.read(model, image, options)

    def load(self, model: str, folder: Path) -> None:
        """Have every worker load a model, the first one alone: it may end over it.

        Raises:
            OcrError: As `Worker.load`.
        """
        with self._changed:
            self._changed.wait_for(self._is_complete, timeout=START_S)
        workers = self.workers()
        if not workers:
            raise ProcessDied("No process that reads is up")
        first, *others = workers
        manifests = digest_manifests(folder)
        first.load(model, folder, manifests=manifests, is_proved=False)

        def load_too(worker: Worker) -> None:
            try:
                worker.load(model, folder, manifests=manifests, is_proved=True)
            except ProcessDied as error:  # another one will take its place
                LOG.warning("%s", error)

        try:
            with ThreadPoolExecutor(max(1, len(others))) as threads:
                list(threads.map(load_too, others))
        except OcrError:
            self.unload(model)
            raise
        self._models[model] = folder, manifests  # who was not up in the meantime loads it now

    def unload(self, model: str) -> None:
        """Have every worker forget a model; a page or batch under way is read with it yet."""
        self._models.pop(model, None)
        self.damaged.pop(model, None)
        for worker in self.workers():
            worker.unload(model)

    def has(self, model: str) -> bool:
        """Say whether a worker has a model."""
        return any(model in worker.models for worker in self.workers())

    def give_up(self, model: str) -> None:
        """Refuse what waits for a model that no worker has."""
        for waiting in (self._queue, self._pages):
            self._watcher.get_loop().call_soon_threadsafe(waiting.give_up, model)

    def workers(self) -> list[Worker]:
        """Return those that are up."""
        with self._changed:
            return list(self._up)

    def _is_complete(self) -> bool:
        return self._is_closed or bool(self._up and not self._starting)

    def _take_back(self, crop: Crop) -> None:
        self._queue.put_back(crop)
        self._hand_out_soon()

    def _hand_out_soon(self) -> None:
        """What arrives in the same moment is read together."""
        if self._idle and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._hand_out)

    def _hand_out(self) -> None:
        """Give every idle worker its share of what waits."""
        self._is_due = False
        for lane in sorted(self._idle, key=lambda one: self._pages.reads(one.worker)):
            crops = self._queue.take(self._queue.share(len(self._idle)), models=lane.worker.models)
            if crops:
                self._idle.remove(lane)
                lane.read(crops, max_pixels=self._max_pixels)

    def _rest(self, lane: CropLane) -> None:
        self._idle.insert(0, lane)  # whoever read last has its caches warm
        if self._queue:
            self._hand_out()

    async def _keep(self) -> None:
        """Keep one worker up."""
        while not self._is_closed:
            try:
                lane = await self._bring_up()
            except (OcrError, OSError) as error:
                self._note_started()
                if not self._is_closed:
                    LOG.error("a worker does not start: %s", error)
                    await asyncio.sleep(LOOK_S)
                with self._changed:
                    self._starting += 1
                continue
            self._metrics.workers.inc()
            why = await lane.ended
            self._metrics.workers.dec()
            self._forget(lane)
            if not self._is_closed:
                self._metrics.worker_losses.inc()
                LOG.error("a worker is replaced: %s", why)
            await asyncio.to_thread(self._close, lane.worker)

    async def _bring_up(self) -> CropLane:
        worker = await asyncio.to_thread(self._start_one)
        _, lane = await asyncio.get_running_loop().create_unix_connection(
            lambda: CropLane(
                worker,
                on_idle=self._rest,
                on_lost=self._take_back,
                answer_s=ANSWER_S[self._setup["engine"]],
                metrics=self._metrics,
            ),
            sock=worker.crops,
        )
        had = worker.models
        with self._changed:
            self._up[worker] = lane
        for model in had - self._models.keys():  # unloaded by those that were up
            await asyncio.to_thread(worker.unload, model)
        self._pages.add(worker)
        self._note_started()
        self._rest(lane)
        return lane

    def _start_one(self) -> Worker:
        with self._changed:
            if self._is_closed:
                raise ProcessDied("the gateway is stopping")
            worker = Worker(self._setup)
            self._all.add(worker)
        try:
            worker.wait_until_up()
            self._load_missing(worker)
        except OcrError:
            self._close(worker)
            raise
        return worker

    def _close(self, worker: Worker) -> None:
        worker.close()
        with self._changed:
            self._all.discard(worker)

    def _load_missing(self, worker: Worker) -> None:
        """Load what the others have; what one lacks the others read."""
        for model, (folder, manifests) in list(self._models.items()):
            if model not in worker.models:
                try:
                    worker.load(model, folder, manifests=manifests, is_proved=True)
                except ProcessDied:
                    raise
                except (OcrError, WorkerFailed) as error:
                    if self.damaged.get(model) != str(error):
                        LOG.error("a worker does not load %s: %s", folder, error)
                    self.damaged[model] = str(error)
                else:
                    self.damaged.pop(model, None)

    def _catch_up(self, worker: Worker) -> None:
        try:
            self._load_missing(worker)
        except ProcessDied as error:  # who keeps it up sees so, too
            LOG.warning("%s", error)

    def _note_started(self) -> None:
        with self._changed:
            self._starting -= 1
            self._changed.notify_all()

    def _forget(self, lane: CropLane) -> None:
        with self._changed:
            self._starting += 1
            del self._up[lane.worker]
        self._pages.remove(lane.worker)
        if lane in self._idle:
            self._idle.remove(lane)

    async def _watch(self) -> None:
        """See whether idle workers answer, and whether each has every model."""
        while True:
            await asyncio.sleep(LOOK_S)
            now = asyncio.get_running_loop().time()
            for lane in list(self._idle):
                if not lane.worker.models.issuperset(self._models):
                    await asyncio.to_thread(self._catch_up, lane.worker)
                if lane in self._idle and now - lane.idle_since > LOOK_S:
                    self._idle.remove(lane)
                    lane.read((), max_pixels=self._max_pixels)
