"""What Paddle, CUDA, NCCL and the kernel fail of, in a sentence, and what to change."""

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ocr.errors import OcrError, TrainingFailed
from ocr.machine.nvidia import DRIVER_FLOORS

LOG_TAIL_BYTES = 100_000
MOST_SAID = 300
"""Characters of a message that nobody here wrote."""
LESS_GPU_MEMORY = (
    "lower training.batch_size, set training.amp: O1, or end the other processes on that GPU "
    "(nvidia-smi lists them)"
)
LESS_MEMORY = (
    "lower resources.devices or training.batch_size, end other processes, or give a container "
    "more (docker run --memory)"
)
FLOORS = ", ".join(f"CUDA {cuda} needs driver {driver}" for cuda, driver in DRIVER_FLOORS.items())
NCCL_SAYS_MORE = "NCCL_DEBUG=INFO makes it say more"
MORE_SHARED = "docker run --shm-size 8g or --ipc host; df -h /dev/shm shows it"


@dataclass(frozen=True)
class Failure:
    """What a log means.

    Attributes:
        meaning: What went wrong.
        advice: What to change.
        passes: Whether the same training may come through when it is run again.
    """

    meaning: str
    advice: str
    passes: bool = False

    def error(self) -> OcrError:
        """Return it as the error that a training ends with."""
        return (OcrError if self.passes else TrainingFailed)(f"{self.meaning}; {self.advice}")


def _gpu_memory(found: re.Match[str]) -> Failure:
    return Failure(
        f"GPU {found['gpu']} has no memory left: {found['wanted']} more were needed, "
        f"{found['free']} were free",
        LESS_GPU_MEMORY,
    )


def _library(found: re.Match[str]) -> Failure:
    name = next(name for name in found.groups() if name)
    return Failure(
        f"Paddle does not find {name}, a library of CUDA",
        "install the packages nvidia-*-cu* that this paddlepaddle-gpu asks for (pip check names "
        "them), or put the folder of CUDA's libraries on LD_LIBRARY_PATH; ocrline doctor looks on",
    )


def _nccl(found: re.Match[str]) -> Failure:
    return Failure(
        f"NCCL, by which GPUs exchange gradients, failed: {found['reason'] or found['said']}",
        f"{NCCL_SAYS_MORE}, a container needs shared memory (--shm-size 8g), and "
        "resources.devices: 1 needs no NCCL; run again to go on",
        passes=True,
    )


def _native(found: re.Match[str]) -> Failure:
    said = " ".join(found["said"].split())[:MOST_SAID]
    return Failure(
        f"A process died in native code: {said}",
        "its log has more; run again to go on",
        passes=True,
    )


def _as_it_is(
    meaning: str, advice: str, *, passes: bool = False
) -> Callable[[re.Match[str]], Failure]:
    return lambda _: Failure(meaning, advice, passes)


KNOWN: tuple[tuple[str, Callable[[re.Match[str]], Failure]], ...] = (
    (
        (
            r"Out of memory error on GPU (?:Virtual Memory )?(?P<gpu>\d+)\.\s+"
            r"Cannot allocate (?P<wanted>[\d.]+[A-Z]+) memory.{0,1000}?"
            r"available memory is only (?P<free>[\d.]+[A-Z]+)"
        ),
        _gpu_memory,
    ),
    (
        r"CUDA error\(2\)|CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED",
        _as_it_is("A GPU has no memory left", LESS_GPU_MEMORY),
    ),
    (
        r"std::bad_alloc|Fail to alloc memory of (\d+) size|Unable to allocate \S+ \wiB for",
        _as_it_is(
            "This machine has no memory left: every process keeps the dataset in memory",
            LESS_MEMORY,
        ),
    ),
    (
        (
            r"Unexpected BUS error encountered in DataLoader|Memory map failed when create shared|"
            r"undefined portion of a memory object|\bSIGBUS\b|[Bb]us error"
        ),
        _as_it_is(
            "Bus error: /dev/shm, through which loading processes hand over batches, is full",
            f"{MORE_SHARED}; or lower workers or training.batch_size",
        ),
    ),
    (
        r"No space left on device",
        _as_it_is(
            "A disk is full, or /dev/shm",
            "df -h shows which: free some, set OCRLINE_HOME to a larger disk, or docker run "
            "--shm-size 8g",
        ),
    ),
    (
        r"DataLoader \d+ workers exit unexpectedly",
        _as_it_is(
            "A loading process was killed, most likely by the kernel for want of memory",
            f"dmesg | grep -i oom says so; lower workers, or {LESS_MEMORY}",
        ),
    ),
    (
        (
            r"Cannot load (cu\w+|nccl) shared library|"
            r"(lib(?:cudart|cudnn|cublas|nccl|cuda)\w{0,30}\.so[.\d]*): cannot open shared object"
        ),
        _library,
    ),
    (
        r"CUDA error\(3\)|cudaErrorInitializationError",
        _as_it_is(
            "CUDA error 3: a process was forked from one that had begun to use the GPU, and used "
            "it too",
            "loading processes must not touch the GPU: train with workers: 0 to see, and let no "
            "transform make tensors",
        ),
    ),
    (
        r"CUDA error\(35\)|driver version is insufficient",
        _as_it_is(
            "The NVIDIA driver is older than the CUDA that Paddle is built with",
            f"{FLOORS} or newer; ocrline doctor says more",
        ),
    ),
    (
        r"CUDA error\(100\)|no CUDA-capable device",
        _as_it_is("Paddle sees no GPU", "ocrline doctor PRESET says which rung is broken"),
    ),
    (
        r"CUDA error\(209\)|no kernel image is available",
        _as_it_is(
            "This Paddle has no code for a GPU of this kind",
            "install a paddlepaddle-gpu built with a newer CUDA (for an old GPU: an older one)",
        ),
    ),
    (
        (
            r"Find timeout (?:start but not finish|init but not start) task|"
            r"Find nccl comm error: ncclRemoteError|NCCL[^\n]{0,500}?(?:timed out|timeout)"
        ),
        _as_it_is(
            "NCCL timeout: ranks waited for one that had died, hangs or cannot be reached",
            "the first error in the logs of the other ranks says why; between machines "
            f"NCCL_SOCKET_IFNAME names the network to use; {NCCL_SAYS_MORE}; run again to go on",
            passes=True,
        ),
    ),
    (r"NCCL error(?:\(\d+\), (?P<reason>[^.\n]+)| \S+ '(?P<said>[^']+)')", _nccl),
    (
        r"third_party/gloo/|Lost touch with rank 0|TCP (?:connection reset by peer|send error)",
        _as_it_is("Lost touch with another rank", "run again to go on", passes=True),
    ),
    (
        (
            r"(?m)^(?P<said>terminate called[^\n]*(?:\n +what\(\): [^\n]*)?|"
            r"pure virtual method called|"
            r"(?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\): [^\n]*|"
            r"double free or corruption[^\n]*|corrupted (?:size vs|double-linked)[^\n]*|"
            r"\*\*\* stack smashing detected[^\n]*)"
        ),
        _native,
    ),
)
"""From the most telling to the least: a log may hold the traces of several.

No pattern looks far ahead from where it begins: logs repeat what nobody here wrote.
"""
OF_MEMORY = re.compile(
    r"no memory left|for want of memory|killed by signal 9\b|Out of memory|MemoryError|bad_alloc|"
    r"Failed to allocate"
)

SIGNALS: dict[int, str] = {
    signal.SIGKILL: "killed, by the kernel for want of memory unless somebody did: dmesg | grep "
    "-i oom says which",
    signal.SIGBUS: "a bus error: a full /dev/shm or disk",
    signal.SIGSEGV: "a fault in native code",
    signal.SIGILL: "an instruction that this processor does not have",
}


def recognise(*texts: str) -> Failure | None:
    """Return what the most telling of some messages or logs means, None when none is known."""
    for pattern, tell in KNOWN:
        for text in texts:
            if found := re.search(pattern, text, flags=re.DOTALL):
                return tell(found)
    return None


def explain(text: str) -> OcrError | None:
    """Return what a message or log of Paddle means, None when it is not known.

    Args:
        text: The message of an exception, or the end of a rank's log.
    """
    known = recognise(text)
    return known.error() if known else None


def is_of_memory(text: str) -> bool:
    """Say whether an error, in our words or those of a library, means that memory was short."""
    return bool(OF_MEMORY.search(text))


def explain_logs(folder: Path) -> OcrError | None:
    """Return what the logs of ranks say of their end, None when that is not known.

    A rank that dies inside NCCL or by a signal raises nothing that could be caught.
    """
    known = recognise(*(read_tail(log) for log in sorted(folder.glob("workerlog.*"))))
    return known.error() if known else None


def read_tail(log: Path, *, size: int = LOG_TAIL_BYTES) -> str:
    """Return the end of a log; nothing where there is none."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - size))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""


def explain_status(status: int) -> str:
    """Say what ended a process: its status as subprocess returns it; empty where it says little.

    Paddle's launcher leaves with a status modulo 256, a shell with 128 and the signal.
    """
    number = -status if status < 0 else 256 - status if status > 192 else status - 128
    return SIGNALS.get(number, "")
