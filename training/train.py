"""Train one net: from a snapshot in the store to a checkpoint in the job's folder."""

from pathlib import Path

from configs.jobs import EmbeddedJob, EmbeddedKind, TrainResult
from ocr.errors import BadInput, OcrError
from ocr.machine.machine import Machine
from training.job import fetch_snapshot, read_result
from training.launch import launch_ranks
from training.nodes import wait_for_the_first
from training.preflight import look_before_training

RANK_COMMANDS: dict[EmbeddedKind, str] = {
    "train-recogniser": "rank-recogniser",
    "train-detector": "rank-detector",
}


def train_model(job: EmbeddedJob, folder: Path) -> TrainResult:
    """Train as the job says, on as many processes, and go on where an earlier run was ended.

    Args:
        job: What to train on what.
        folder: Holds job.json; checkpoints, metrics and result.json land there.

    Raises:
        OcrError: With the exit code of the process; see `ocr.errors`.
    """
    finished = read_result(folder, TrainResult)
    if finished is not None:
        return finished
    if job.training.amp != "off" and job.resources.device != "gpu":
        raise BadInput(f"training.amp: {job.training.amp} needs resources.device: gpu")
    look_before_training(job, folder, Machine.here())
    fetch_snapshot(job, folder)
    if job.resources.ranks == 1:
        from training.rank import train_rank  # paddle, which the parent of ranks need not load

        train_rank(job, folder, fail=lambda _: None)
    else:
        launch_ranks(folder, command=RANK_COMMANDS[job.kind], resources=job.resources)
    result = read_result(folder, TrainResult)
    if result is None:
        raise OcrError(f"The training left no result in {folder}")
    return result


def follow(job: EmbeddedJob, folder: Path, *, node: int) -> None:
    """Learn as a further machine, with the first one, which prepared the folder and keeps all.

    Raises:
        OcrError: A rank failed, here or there, or the first machine did not come.
    """
    look_before_training(job, folder, Machine.here())
    if wait_for_the_first(job, folder):
        launch_ranks(folder, command=RANK_COMMANDS[job.kind], resources=job.resources, node=node)
