"""A process of PaddleOCR's interpreter: started, listened to, and ended when it must be."""

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, cast

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrJob
from ocr.errors import OcrError, TrainingFailed
from ocr.machine.failures import explain
from training.job import job_digest
from training.launch import is_passed_on
from training.loop.guards import Stopped, StopRequest
from training.paddleocr.shape import PARTS
from training.paddleocr.tool.log import ToolLog

FOREIGN = Path(__file__).parents[1] / "foreign"
RUN_TOOLS = FOREIGN / "run_tools.py"
RUN_RANKS = FOREIGN / "run_ranks.py"
MEETING = Path(__file__).parents[2] / "meeting.py"
TRAIN = "tools/train.py"
EXPORT = "tools/export_model.py"
CLASSIC_OPERATORS = str(FOREIGN / "classic_operators.py")
"""A tool of ours: those that follow it in one process may write the legacy form."""
TAKE_WEIGHTS = str(FOREIGN / "take_weights.py")
"""A tool of ours: those that follow it in one process find the weights of one net, as float32."""
PORTABLE_UPSAMPLING = str(FOREIGN / "portable_upsampling.py")
"""A tool of ours: those that follow it in one process repeat pixels as every form can."""
KEEP_PARTS = str(FOREIGN / "keep_parts.py")
POLL_S = 0.5
GRACE_S = 10
ASIDE_S = 600
NEXT = re.compile(r"ocrline: tool (\d{1,3})$")
"""What `run_tools` of `foreign/` says as it begins with a further tool."""
NO_REASON = re.compile(r"^\s*$|^ocrline: |^[IW]\d{4} |Warning|warnings\.warn|ppocr INFO")


def run_tools(
    tools: Sequence[Sequence[str]],
    *,
    runtime: PaddleOcrRuntime,
    folder: Path,
    log: Path,
    timeout_s: float,
    limit: str,
    stop: StopRequest,
    listen: Callable[[str], bool],
    ranks: Sequence[str] = (),
) -> None:
    """Run tools of PaddleOCR's tree, one after another in one process, until they end.

    Args:
        tools: Each with its arguments, such as ``[TRAIN, "-c", "config.yml"]``; an absolute path
            is one of ours.
        runtime: The tree and its interpreter.
        folder: Where they run; the tree itself is only read.
        log: Gets what they say, within the bounds of `ToolLog`.
        timeout_s: Longest time without a line that is a sign of progress.
        limit: What sets that time, for the error.
        stop: Whether SIGTERM arrived; it is passed on.
        listen: Told every line; says whether it is a sign of progress.
        ranks: What runs each tool in several processes; see `as_ranks`.

    Raises:
        Stopped: SIGTERM arrived.
        TrainingFailed: A tool failed, or hung; the error says of what.
        OcrError: It was killed, or its machine failed; run again to go on.
    """
    command = [runtime.python, "-u", str(RUN_TOOLS), str(os.getpid())]
    for number, (tool, *arguments) in enumerate(tools):
        command += ["+"] * (number > 0) + [
            *ranks, str(Path(runtime.home) / tool), *arguments
        ]  # fmt: skip
    patience = Patience([_name(tool) for tool in tools], timeout_s=timeout_s, limit=limit)
    with closing(ToolLog(log)) as kept:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=foreign_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its loaders end with it
        )
        try:
            for lines in _hear(process, kept):
                if stop.at is not None:
                    raise Stopped("Asked to stop; run again to go on from the last whole epoch")
                patience.hear(lines)
                patience.look([listen(line) for line in lines])
        finally:
            _end(process)
        if process.returncode != 0:
            raise _failure(process.returncode, tool=patience.tool, said=kept.tail, log=log)


def train_command(job: TrainPaddleOcrJob, config: Path) -> list[str]:
    """Return the tool that learns, with its arguments."""
    how = ["-c", str(config)]
    if parts := PARTS[job.training.frozen]:
        return [KEEP_PARTS, job.runtime.home, TRAIN, ",".join(parts), *how]
    return [TRAIN, *how]


def run_aside(
    job: TrainPaddleOcrJob, tools: Sequence[Sequence[str]], *, log: Path, stop: StopRequest
) -> None:
    """Run tools that are no training beside their log; arguments and errors as of `run_tools`."""
    run_tools(
        tools,
        runtime=job.runtime,
        folder=log.parent,
        log=log,
        timeout_s=max(ASIDE_S, job.training.no_progress_timeout_s),
        limit=f"{ASIDE_S} s or training.no_progress_timeout_s, whichever is longer",
        stop=stop,
        listen=lambda _: False,
    )


def _name(tool: Sequence[str]) -> str:
    """Return which tool of PaddleOCR's tree one runs, for errors; of ours, its own name."""
    theirs = (word for word in tool if word.endswith(".py") and not Path(word).is_absolute())
    return next(theirs, Path(tool[0]).stem)


def as_ranks(job: TrainPaddleOcrJob, *, node: int = 0) -> list[str]:
    """Return what runs a tool once per device of a machine; nothing where there is one."""
    resources = job.resources
    if resources.ranks == 1:
        return []
    numbers = [str(number) for number in (node, resources.nodes, resources.devices)]
    place = [resources.device, resources.rendezvous]
    return [str(RUN_RANKS), str(MEETING), job_digest(job), *numbers, *place]


def foreign_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the process: nothing secret, and no caches in the tree."""
    kept = {
        key: value
        for key, value in given.items()
        if is_passed_on(key) and not key.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    own = {
        "NO_ALBUMENTATIONS_UPDATE": "1",  # it would ask the network for a newer version
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    return kept | own


def _hear(process: "subprocess.Popen[bytes]", log: ToolLog) -> Iterator[list[str]]:
    """Yield the lines that it says, and none every POLL_S while it is silent, until it ended."""
    with cast("IO[bytes]", process.stdout) as stream:
        while True:
            over = process.poll() is not None  # asked first, so that its last words are heard
            ready, _, _ = select.select([stream], [], [], 0 if over else POLL_S)
            said = os.read(stream.fileno(), 1 << 16) if ready else b""
            if over and not said:
                yield [log.last_line()]
                return
            if ready and not said:  # it closed its output: it ends now, or works on
                with suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_S)
            yield log.write(said)


class Patience:
    """Ends when a tool shows no sign of progress for too long."""

    def __init__(self, tools: Sequence[str], *, timeout_s: float, limit: str) -> None:
        """Begin to wait for the first of some tools; `limit` sets the time, for the error."""
        self._tools = tools
        self._at = 0
        self._timeout_s = timeout_s
        self._limit = limit
        self._progress = time.monotonic()

    @property
    def tool(self) -> str:
        """Which of them is waited for."""
        return self._tools[self._at]

    def hear(self, lines: Sequence[str]) -> None:
        """Wait for a further tool, which has its own time, where a line says that it begins."""
        for begun in filter(None, map(NEXT.match, lines)):
            if self._at < int(begun[1]) < len(self._tools):
                self._at = int(begun[1])
                self._progress = time.monotonic()

    def look(self, signs: Sequence[bool]) -> None:
        """Take note of lines that are signs of progress, or not.

        Raises:
            TrainingFailed: There was none for too long.
        """
        now = time.monotonic()
        if any(signs):
            self._progress = now
        if now - self._progress > self._timeout_s:
            raise TrainingFailed(
                f"PaddleOCR's {self.tool} made no progress for {self._timeout_s:g} s "
                f"({self._limit}): a hung loader or device"
            )


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it gently if it runs, then all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(status: int, *, tool: str, said: bytes, log: Path) -> OcrError:
    tail = said.decode("utf-8", errors="replace")
    if known := explain(tail):
        return known
    if status < 0:
        return OcrError(f"PaddleOCR's {tool} was killed by signal {-status}; run again to go on")
    lines = [line for line in tail.splitlines() if not NO_REASON.search(line)]
    reason = lines[-1].strip() if lines else "it said nothing"
    return TrainingFailed(f"PaddleOCR's {tool} ended with status {status}: {reason}; see {log}")
