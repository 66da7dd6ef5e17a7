"""What PaddleOCR's loader and net make of the data while they learn, asked before they do."""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from configs.jobs import TrainPaddleOcrJob
from ocr.store.whole import written_whole
from training.loop.guards import StopRequest
from training.loop.progress import note
from training.paddleocr.config import Config, uncompiled, write_config
from training.paddleocr.tool.process import as_ranks, run_tools, train_command
from training.paddleocr.tool.said import Step, understand

CONFIG = "measured.yml"
ANSWER = "measured.json"
UNCOMPILED_CONFIG = "uncompiled.yml"
UNCOMPILED_LOG = "uncompiled.log"
UNCOMPILED_OUTPUT = "uncompiled"
UNCOMPILED = "uncompiled.txt"
STEPS = 10
"""After the first one, which takes longer than the others."""
TOOL = Path(__file__).parent / "foreign" / "measure_tool.py"


@dataclass(frozen=True)
class Measured:
    """A training before its first step.

    Attributes:
        steps: Of an epoch.
        frames: That a recogniser gives a line while it learns; later it may give another number.
        frames_if_twice_as_wide: The same for lines of twice the width.
    """

    steps: int
    frames: int = 0
    frames_if_twice_as_wide: int = 0


def ask_measured(job: TrainPaddleOcrJob, folder: Path, *, config: Config) -> list[str]:
    """Write the question, and return the tool that asks the trainer's own loader and net.

    Args:
        job: The training.
        folder: Holds what the trainer reads; question and answer land there.
        config: Of the training.
    """
    write_config(folder / CONFIG, config)
    (folder / ANSWER).unlink(missing_ok=True)
    question = [folder / CONFIG, folder / ANSWER]
    return [str(TOOL), job.runtime.home, *map(str, question), str(job.resources.ranks)]


def read_measured(folder: Path) -> Measured | None:
    """Return the answer; None: there is none, or no whole one."""
    try:
        return TypeAdapter(Measured).validate_json((folder / ANSWER).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


class Enough(Exception):
    """So many steps were learnt."""


def measure_uncompiled(
    job: TrainPaddleOcrJob, folder: Path, *, config: Config, stop: StopRequest
) -> None:
    """Have the trainer learn a few steps as it would without `to_static`, and forget them.

    Args:
        job: The training.
        folder: Holds what the trainer reads; the images per second land there.
        config: Of the training.
        stop: Whether SIGTERM arrived.

    Raises:
        OcrError: As `run_tools` says.
    """
    output, path = folder / UNCOMPILED_OUTPUT, folder / UNCOMPILED_CONFIG
    write_config(path, uncompiled(config, output))
    steps: list[Step] = []

    def listen(line: str) -> bool:
        said = understand(line)
        if isinstance(said, Step):
            steps.append(said)
        if len(steps) > STEPS:
            raise Enough
        return said is not None

    with suppress(Enough):
        run_tools(
            [train_command(job, path)],
            runtime=job.runtime,
            folder=folder,
            log=folder / UNCOMPILED_LOG,
            timeout_s=job.training.no_progress_timeout_s,
            limit="training.no_progress_timeout_s",
            stop=stop,
            listen=listen,
            ranks=as_ranks(job),
        )
    shutil.rmtree(output, ignore_errors=True)
    timed = [step for step in steps[1:] if step.images_per_s > 0]
    seconds = sum(step.images / step.images_per_s for step in timed)
    if seconds:
        speed = sum(step.images for step in timed) / seconds * job.resources.ranks
        with written_whole(folder / UNCOMPILED) as stream:
            stream.write(repr(speed).encode())


def report_gain(folder: Path, timings: Mapping[str, float]) -> dict[str, float]:
    """Return speed without compiling and the gain of it, if both were measured, and note them.

    Args:
        folder: Of the job.
        timings: Of the training, compiling included.
    """
    path, compiled = folder / UNCOMPILED, timings.get("images_per_s", 0.0)
    if not path.is_file() or not compiled:
        return {}
    before = float(path.read_text(encoding="utf-8"))
    gain = compiled / before
    note(
        folder,
        f"compiled (training.to_static) it learnt {compiled:.3g} images/s, compiling included; "
        f"without, {STEPS} steps before it had {before:.3g}: {gain:.2f} times the speed",
    )
    return {"images_per_s_uncompiled": before, "compiling_gain": gain}
