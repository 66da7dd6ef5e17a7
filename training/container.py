"""A job's end of the line to its task, where a container stands between them."""

import os
import signal
from threading import Thread

from configs.jobs import ContainerTask
from ocr.errors import BadInput
from ocr.models.provenance import COMMIT, describe_code
from ocr.store.stages import StageName

LISTENS = "OCRLINE_TASK_ON_STDIN"
INPUT = 0
PIECE_BYTES = 1 << 16


def listen_to_the_task(stage: StageName) -> None:
    """Take what the task says on standard input, and get SIGTERM when it says no more.

    The pipe is the task's: it ends when the task dies, and so does `docker run`, however they die.

    Args:
        stage: The job's.

    Raises:
        BadInput: The image has other code or libraries than the key of what the job makes says.
    """
    if os.environ.pop(LISTENS, None) is None:
        return
    task = ContainerTask.model_validate_json(_read_line())
    _compare(task.code, describe_code(stage))
    os.environ.update(task.environment | {COMMIT: task.commit})
    Thread(target=_end_with_the_input, name="task", daemon=True).start()


def _read_line() -> bytes:
    said = b""
    while not said.endswith(b"\n"):
        piece = os.read(INPUT, PIECE_BYTES)
        if not piece:
            raise BadInput("The task ended before it said what the job is to know")
        said += piece
    return said


def _compare(wanted: dict[str, str], found: dict[str, str]) -> None:
    others = [
        f"{name} {found.get(name, '')[:12] or 'none'} instead of {version[:12] or 'none'}"
        for name, version in wanted.items()
        if found.get(name, "") != version
    ]
    if others:
        raise BadInput(
            f"resources.image: it has {', '.join(others)}, and would make something else than the "
            "key says; build it again: make image"
        )


def _end_with_the_input() -> None:
    while os.read(INPUT, PIECE_BYTES):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
