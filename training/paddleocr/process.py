"""A process of PaddleOCR's interpreter: started, listened to, and ended when it must be."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, BinaryIO

from configs.jobs import PaddleOcrRuntime
from ocr.errors import OcrError, TrainingFailed
from ocr.machine.failures import explain, read_tail
from training.launch import PASSED_ON
from training.loop.guards import Stopped, StopRequest

RUN_TOOLS = Path(__file__).parent / "run_tools.py"
TRAIN = "tools/train.py"
EXPORT = "tools/export_model.py"
POLL_S = 0.5
GRACE_S = 10
NO_REASON = re.compile(r"^\s*$|^[IW]\d{4} |Warning")


def run_tools(
    tools: Sequence[Sequence[str]],
    *,
    runtime: PaddleOcrRuntime,
    folder: Path,
    log: Path,
    timeout_s: float,
    stop: StopRequest,
    listen: Callable[[str], bool],
) -> None:
    """Run tools of PaddleOCR's tree, one after another in one process, until they end.

    Args:
        tools: Each with its arguments, such as ``[TRAIN, "-c", "config.yml"]``; an absolute path
            is one of ours.
        runtime: The tree and its interpreter.
        folder: Where they run; the tree itself is only read.
        log: Gets all that they say.
        timeout_s: Longest time without a line that is a sign of progress.
        stop: Whether SIGTERM arrived; it is passed on.
        listen: Told every line; says whether it is a sign of progress.

    Raises:
        Stopped: SIGTERM arrived.
        TrainingFailed: A tool failed, or hung; the error says of what.
        OcrError: It was killed, or its machine failed; run again to go on.
    """
    command = [runtime.python, "-u", str(RUN_TOOLS), str(os.getpid())]
    for number, (tool, *arguments) in enumerate(tools):
        command += ["+"] * (number > 0) + [str(Path(runtime.home) / tool), *arguments]
    with log.open("ab") as kept:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=foreign_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its loaders end with it
        )
        lines: SimpleQueue[bytes | None] = SimpleQueue()
        reader = Thread(target=_read, args=(process.stdout, kept, lines), daemon=True)
        reader.start()
        try:
            _follow(process, lines, timeout_s=timeout_s, stop=stop, listen=listen)
        finally:
            _end(process)
            reader.join(GRACE_S)
    if process.returncode != 0:
        raise _failure(process.returncode, tool=tools[0][0], log=log)


def foreign_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the process: nothing secret, and no caches in the tree."""
    kept = {
        key: value
        for key, value in given.items()
        if key.startswith(PASSED_ON) and not key.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    own = {
        "NO_ALBUMENTATIONS_UPDATE": "1",  # it would ask the network for a newer version
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    return kept | own


def _follow(
    process: "subprocess.Popen[bytes]",
    lines: "SimpleQueue[bytes | None]",
    *,
    timeout_s: float,
    stop: StopRequest,
    listen: Callable[[str], bool],
) -> None:
    progress = time.monotonic()
    while True:
        try:
            line = lines.get(timeout=POLL_S)
        except Empty:
            line = None if process.poll() is not None else b""
        if stop.at is not None:
            raise Stopped("Asked to stop; run again to go on from the last whole epoch")
        if line is None:
            process.wait()
            return
        if line and listen(line.decode("utf-8", errors="replace")):
            progress = time.monotonic()
        if time.monotonic() - progress > timeout_s:
            raise TrainingFailed(
                f"PaddleOCR's trainer made no progress for {timeout_s:g} s "
                "(training.no_progress_timeout_s): a hung loader or device"
            )


def _read(stream: IO[bytes], kept: BinaryIO, lines: "SimpleQueue[bytes | None]") -> None:
    """Pass on what it says, piece by piece: a bar of progress ends no line."""
    rest = b""
    with stream:
        while read := os.read(stream.fileno(), 1 << 16):
            kept.write(read)
            kept.flush()
            *whole, rest = re.split(rb"[\r\n]+", rest + read)
            for line in whole:
                lines.put(line)
    lines.put(rest)
    lines.put(None)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it gently if it runs, then all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(status: int, *, tool: str, log: Path) -> OcrError:
    tail = read_tail(log)
    if known := explain(tail):
        return known
    if status < 0:
        return OcrError(f"PaddleOCR's {tool} was killed by signal {-status}; run again to go on")
    lines = [line for line in tail.splitlines() if not NO_REASON.search(line)]
    reason = lines[-1].strip() if lines else "it said nothing"
    return TrainingFailed(f"PaddleOCR's {tool} ended with status {status}: {reason}; see {log}")
