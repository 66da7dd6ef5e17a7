"""A training before its first step: what it makes of the data, and whether its net is exported."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import BadInput, TrainingFailed
from training.loop.guards import StopRequest
from training.paddleocr.config import Config
from training.paddleocr.exporting import LOG, export_forms
from training.paddleocr.measured import Measured, ask_measured, read_measured

REHEARSAL = "rehearsal"


def rehearse(
    job: TrainPaddleOcrJob,
    folder: Path,
    *,
    config: Config,
    stop: StopRequest,
    find_spec: Callable[[Path, Config], Any],
) -> tuple[Measured, Any]:
    """Ask the trainer's own loader and net, and export the net: what fails is not trained.

    Args:
        job: The training.
        folder: Holds what the trainer reads; question, answer and the exporter's log land there.
        config: Of the training.
        stop: Whether SIGTERM arrived.
        find_spec: Asks the exported net what it takes.

    Returns:
        What they make of the data, and what the exported net takes.

    Raises:
        TrainingFailed: Loader and net cannot be made, or read no line.
        BadInput: The net cannot be exported, or not be read; the error says why.
    """
    exported, failed = folder / REHEARSAL, None
    shutil.rmtree(exported, ignore_errors=True)  # of a run that was killed
    question = ask_measured(job, folder, config=config)
    try:
        export_forms(job, exported, config=config, weights=None, stop=stop, first=[question])
        spec = find_spec(exported, config)
    except TrainingFailed as error:
        failed = error
    finally:
        shutil.rmtree(exported, ignore_errors=True)
    measured = read_measured(folder)
    if not measured:
        why = failed or f"see {folder / LOG}"
        raise TrainingFailed(f"PaddleOCR's loader and net gave no answer: {why}")
    if failed:
        net = job.training.net
        raise BadInput(f"training.net: no bundle can be made of {net}: {failed}")
    return measured, spec
