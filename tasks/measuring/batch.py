"""The batch size of a training: the training itself begun with several, each in its own process."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from configs.jobs import TrainJob, TrainKind, TrainResult
from ocr.errors import OcrError
from ocr.machine.failures import is_of_memory
from ocr.machine.machine import Machine
from ocr.machine.memory import MEBIBYTE, free_memory_mib, gpu_memory_mib
from ocr.machine.planning.batch import Choice, Probe, choose_batch
from ocr.machine.planning.needs import VIEWS_OF_A_PAGE
from tasks.run.jobs import run_job
from tasks.workspace import Workspace

SNAPSHOT = "snapshot"
"""In a job's folder; the only thing that the next probe finds there."""
STEPS = 400
"""Of the training that is begun: its log then speaks every few steps."""
MOST: dict[TrainKind, int] = {
    "train-recogniser": 4096,
    "train-detector": 1024,
    "train-paddleocr-recogniser": 4096,
    "train-paddleocr-detector": 1024,
}
"""Batch sizes that the forms allow."""
LEAST_STEPS = 8
LEAST_S = 3.0
POLL_S = 0.2


class Seen(Exception):
    """A probe has learnt long enough."""


@dataclass
class Watch:
    """Listens to a training until its speed is known; the first report is warming up."""

    steps: int = 0
    seconds: float = 0.0
    batch_size: int = 0
    _before: int = field(default=0)
    _speeds: list[float] = field(default_factory=list)

    def note(self, event: dict[str, Any]) -> None:
        """Take an event of the training.

        Raises:
            Seen: That was enough.
        """
        if event["event"] != "step":
            return
        steps = event["step"] - self._before
        if self._before and event["images_per_s"] > 0:
            self.steps += steps
            self.seconds += steps * self.batch_size / event["images_per_s"]
            self._speeds.append(event["images_per_s"])
        self._before = event["step"]
        if self.steps >= LEAST_STEPS and self.seconds >= LEAST_S:
            raise Seen

    @property
    def has_begun(self) -> bool:
        """Whether it learns; what measures and rehearses before it takes memory of its own."""
        return self._before > 0

    @property
    def images_per_s(self) -> float:
        """Images learnt per second, over all ranks; 0: not known.

        The median of what was reported: what a run does once, such as the alignment of characters
        before crops are composed, would stop a short one for seconds.
        """
        return median(self._speeds) if self._speeds else 0.0


@dataclass(frozen=True)
class BatchReport:
    """What was probed, and what it says; memory in MiB."""

    probes: tuple[Probe, ...]
    choice: Choice
    memory_mib: float


def find_batch(
    workspace: Workspace, job: TrainJob, *, images: int, on_probe: Callable[[Probe], None]
) -> BatchReport:
    """Begin a training with batch after batch, each ended after some steps; nothing is kept.

    Args:
        workspace: Where the folder of the probes lies while they run.
        job: The training; its batch size is where to begin, divided by 4.
        images: Of the train split.
        on_probe: Told each probe when it is over.

    Raises:
        OcrError: A probe failed for want of something else than memory.
    """
    machine, devices = Machine.here(), job.resources.devices
    on_gpu = job.resources.device == "gpu"
    used, total = gpu_memory_mib(machine, devices) if on_gpu else (0.0, free_memory_mib(machine))
    memory_mib = total - used
    least = _least(job)
    batch_size = max(job.training.batch_size // 4 // least, 1) * least
    probes: list[Probe] = []
    jobs = workspace.home / "jobs"
    jobs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jobs, prefix="probe-") as name:
        while True:
            watch = Watch(batch_size=batch_size * _shares(job))
            brief = _brief(job, batch_size=batch_size, images=images)
            with _measured(machine, job, used, watch) as peak:
                images_per_s = _begin(brief, Path(name), watch)
            probes.append(Probe(batch_size, images_per_s, peak[0], fits=images_per_s > 0))
            on_probe(probes[-1])
            choice = choose_batch(probes, memory_mib=memory_mib, most=_most(job, images))
            batch_size = choice.next_batch // least * least
            if not batch_size:
                return BatchReport(tuple(probes), choice, memory_mib)


def _begin(job: TrainJob, folder: Path, watch: Watch) -> float:
    """Train for a few steps in an emptied folder; return images/s, 0 where memory was short."""
    for path in folder.iterdir():
        if path.name != SNAPSHOT:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    try:
        result = run_job(job, folder=folder, result_type=TrainResult, on_event=watch.note)
    except Seen:
        return watch.images_per_s
    except OcrError as error:
        if is_of_memory(str(error)):
            return 0.0
        raise
    return watch.images_per_s or result.timings.get("images_per_s", 0.0)


def _brief(job: TrainJob, *, batch_size: int, images: int) -> TrainJob:
    """Return the training with another batch, and neither validations nor checkpoints."""
    epochs = -(-STEPS * batch_size * _shares(job) // max(1, images * _views(job)))
    values = {"batch_size": batch_size, "epochs": epochs, "evaluations": 1, "patience": 0}
    if job.training.engine == "embedded":
        values["checkpoint_every_s"] = 24 * 3600
    training = job.training.model_copy(update=values)
    return job.model_copy(update={"training": training})


def _shares(job: TrainJob) -> int:
    """Batches of a step: embedded, each rank has its own; PaddleOCR's ranks share one."""
    return job.resources.devices if job.training.engine == "embedded" else 1


def _least(job: TrainJob) -> int:
    """Every batch is a multiple of this: ranks take equal parts."""
    return job.resources.devices // _shares(job)


def _most(job: TrainJob, images: int) -> int:
    limit = MOST[job.kind]
    return min(limit, images * _views(job) // _shares(job))


def _views(job: TrainJob) -> int:
    """Batches draw a page of the embedded detector several times in an epoch."""
    return VIEWS_OF_A_PAGE if job.kind == "train-detector" else 1


@contextmanager
def _measured(machine: Machine, job: TrainJob, used: float, watch: Watch) -> Iterator[list[float]]:
    """Yield a list whose only value follows the peak of what our processes, or GPUs, take (MiB)."""
    peak, over = [0.0], threading.Event()
    on_gpu, devices = job.resources.device == "gpu", job.resources.devices

    def follow() -> None:
        while not over.wait(POLL_S):
            if not watch.has_begun:
                continue
            now = gpu_memory_mib(machine, devices)[0] - used if on_gpu else _resident_mib()
            peak[0] = max(peak[0], now)

    thread = threading.Thread(target=follow, name="memory", daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def _resident_mib() -> float:
    """Add up what all that this process started has in memory."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # ended meanwhile
            total += process.memory_info().rss
    return total / MEBIBYTE
