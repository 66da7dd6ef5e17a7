"""What PaddleOCR's loader and net make of the data while they learn, asked before they do."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import TrainingFailed
from training.loop.guards import StopRequest
from training.paddleocr.config import Config, write_config
from training.paddleocr.process import run_aside

CONFIG = "measured.yml"
ANSWER = "measured.json"
LOG = "measured.log"
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


def measure_learning(
    job: TrainPaddleOcrJob, folder: Path, *, config: Config, stop: StopRequest
) -> Measured:
    """Ask the trainer's own loader and net in a process of its interpreter.

    Args:
        job: The training.
        folder: Holds what the trainer reads; question, answer and log land there.
        config: Of the training.
        stop: Whether SIGTERM arrived.

    Raises:
        TrainingFailed: They cannot be made, or read no line.
    """
    write_config(folder / CONFIG, config)
    (folder / ANSWER).unlink(missing_ok=True)
    question = [str(TOOL), job.runtime.home, CONFIG, ANSWER, str(job.resources.ranks)]
    run_aside(job, [question], log=folder / LOG, stop=stop)
    if not (folder / ANSWER).is_file():
        raise TrainingFailed(f"PaddleOCR's loader and net gave no answer; see {folder / LOG}")
    return TypeAdapter(Measured).validate_json((folder / ANSWER).read_bytes())
