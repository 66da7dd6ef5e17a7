"""A further machine of a training by PaddleOCR's trainer: it learns as the first one says."""

from pathlib import Path

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import OcrError
from training.loop.guards import StopRequest
from training.nodes import wait_for_the_first
from training.paddleocr.kept import FOLDER, STATE, KeptState
from training.paddleocr.learning import CONFIG
from training.paddleocr.runtime import find_unchanged
from training.paddleocr.tool.process import as_ranks, run_tools, train_command

SIGN = "ocrline: learning"
"""What the first rank of a further machine says while it learns, or waits for the first of all."""


def follow(job: TrainPaddleOcrJob, folder: Path, *, node: int) -> None:
    """Learn with the first machine, which prepared the folder, until its ranks have ended.

    Raises:
        Stopped: SIGTERM arrived.
        OcrError: A rank failed, here or there, or the first machine did not come.
    """
    stop = StopRequest()
    find_unchanged(job.runtime)
    if not wait_for_the_first(job, folder):
        return
    stop.listen()
    try:
        run_tools(
            [train_command(job, folder / CONFIG)],
            runtime=job.runtime,
            folder=folder,
            log=folder / f"trainer-{node}.log",
            timeout_s=job.training.no_progress_timeout_s,
            limit="training.no_progress_timeout_s",
            stop=stop,
            listen=lambda line: SIGN in line,
            ranks=as_ranks(job, node=node),
        )
    except OcrError:
        if not _is_over(job, folder):
            raise


def _is_over(job: TrainPaddleOcrJob, folder: Path) -> bool:
    """Say whether the first machine ended its ranks for want of patience."""
    path = folder / FOLDER / STATE
    state = KeptState.model_validate_json(path.read_bytes()) if path.is_file() else KeptState()
    return 0 < job.training.patience <= state.stale
