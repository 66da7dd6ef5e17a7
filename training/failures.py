"""What Paddle, CUDA and NCCL fail of, in a sentence that says what to change."""

import re
from pathlib import Path

from ocr.errors import OcrError, TrainingFailed

GPU_MEMORY = re.compile(
    r"Out of memory error on GPU (?:Virtual Memory )?(?P<gpu>\d+)\.\s+"
    r"Cannot allocate (?P<wanted>[\d.]+[A-Z]+) memory.*?"
    r"available memory is only (?P<free>[\d.]+[A-Z]+)",
    re.DOTALL,
)
"""Of Paddle's allocators for GPUs."""
LIBRARY_MEMORY = re.compile(r"CUDA error\(2\)|CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED")
HOST_MEMORY = re.compile(r"Fail to alloc memory of (\d+) size|Unable to allocate \S+ \wiB for")
NCCL = re.compile(r"NCCL error(?:\(\d+\), (?P<reason>[^.\n]+)| \S+ '(?P<said>[^']+)')")
GLOO = re.compile(r"gloo")

LESS_GPU_MEMORY = (
    "lower training.batch_size, set training.amp: O1, or end the other processes on that GPU "
    "(nvidia-smi lists them)"
)
LOG_TAIL_BYTES = 100_000


def explain(text: str) -> OcrError | None:
    """Return what a message or log of Paddle means, None when it is not known.

    Args:
        text: The message of an exception, or the end of a rank's log.
    """
    if found := GPU_MEMORY.search(text):
        return TrainingFailed(
            f"GPU {found['gpu']} has no memory left: {found['wanted']} more were needed, "
            f"{found['free']} were free; {LESS_GPU_MEMORY}"
        )
    if LIBRARY_MEMORY.search(text):
        return TrainingFailed(f"A GPU has no memory left; {LESS_GPU_MEMORY}")
    if HOST_MEMORY.search(text):
        return TrainingFailed(
            "This machine has no memory left: every process keeps the dataset in memory; lower "
            "resources.devices or training.batch_size, or end other processes"
        )
    if found := NCCL.search(text):
        return OcrError(
            f"NCCL, by which GPUs exchange gradients, failed: {found['reason'] or found['said']}; "
            "NCCL_DEBUG=INFO makes it say more, a container needs shared memory (--shm-size 8g), "
            "and resources.devices: 1 needs no NCCL; run again to go on"
        )
    if GLOO.search(text):
        return OcrError("Lost touch with another rank; run again to go on")
    return None


def explain_logs(folder: Path) -> OcrError | None:
    """Return what the logs of ranks say of their end, None when that is not known.

    A rank that dies inside NCCL or by a signal raises nothing that could be caught.
    """
    for log in sorted(folder.glob("workerlog.*")):
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - LOG_TAIL_BYTES))
            known = explain(stream.read().decode("utf-8", errors="replace"))
        if known is not None:
            return known
    return None
