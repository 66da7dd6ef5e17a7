"""Run a job: ``python -m training KIND FOLDER/job.json``; result.json lands beside it."""

import argparse
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from configs.jobs import (
    EmbeddedJob,
    ExportDetectorJob,
    ExportJob,
    ExportRecogniserJob,
    TrainDetectorJob,
    TrainPaddleOcrDetectorJob,
    TrainPaddleOcrJob,
    TrainPaddleOcrRecogniserJob,
    TrainRecogniserJob,
)
from ocr.errors import OcrError
from ocr.machine.failures import MOST_SAID, explain
from training.alone import alone_in, end_with_the_task
from training.container import listen_to_the_task
from training.environment import prepare_environment
from training.job import claim_folder, read_job, write_result
from training.nodes import find_node

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("job", type=Path, help="path of job.json")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    prepare_environment()
    end_with_the_task()
    try:
        listen_to_the_task(options.command)
        COMMANDS[options.command](options.job)
    except OcrError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


# Each command imports its own room: paddle must not be there before the environment is.


def _train(kind: type[EmbeddedJob], path: Path) -> None:
    job = read_job(path, kind)
    from training.train import follow, train_model

    folder, node = path.resolve().parent, find_node(job.resources)
    with alone_in(folder, node=node), in_plain_words():
        if node:
            follow(job, folder, node=node)
        else:
            claim_folder(folder, job)
            train_model(job, folder)


def _train_with_paddleocr(kind: type[TrainPaddleOcrJob], path: Path) -> None:
    job = read_job(path, kind)
    folder, node = path.resolve().parent, find_node(job.resources)
    from training.paddleocr.following import follow
    from training.paddleocr.train import train_with_paddleocr

    with alone_in(folder, node=node), in_plain_words():
        if node:
            follow(job, folder, node=node)
        else:
            claim_folder(folder, job)
            train_with_paddleocr(job, folder)


def _rank(kind: type[EmbeddedJob], path: Path) -> None:
    """One rank of a training; started by the launcher only."""
    folder = path.resolve().parent
    job = read_job(path, kind)
    from training.launch import LOGS, report_failure
    from training.rank import train_rank

    try:
        with in_plain_words():
            train_rank(job, folder, fail=lambda error: report_failure(folder, error))
    except OcrError as error:
        report_failure(folder, error)
        raise
    except Exception as error:  # whatever it is, it is what the training failed of
        said = " ".join(f"{type(error).__name__}: {error}".split())[:MOST_SAID]
        report_failure(folder, OcrError(f"{said}; see {folder / LOGS}"))
        raise
    os._exit(0)  # what Paddle and gloo take apart at an end may abort, before there is a result


def _export(kind: type[ExportJob], path: Path) -> None:
    job = read_job(path, kind)
    from training.export.export import export_model

    folder = path.resolve().parent
    with alone_in(folder), in_plain_words():
        write_result(folder, export_model(job, folder))


@contextmanager
def in_plain_words() -> Iterator[None]:
    """Leave the trace of a known failure of Paddle in the log, and raise what it means.

    Raises:
        OcrError: See `ocr.machine.failures`.
    """
    try:
        yield
    except OcrError:
        raise
    except Exception as error:
        known = explain(str(error))
        if known is None:
            raise
        traceback.print_exc()
        raise known from error


COMMANDS: dict[str, Callable[[Path], None]] = {
    "train-recogniser": partial(_train, TrainRecogniserJob),
    "train-detector": partial(_train, TrainDetectorJob),
    "train-paddleocr-recogniser": partial(_train_with_paddleocr, TrainPaddleOcrRecogniserJob),
    "train-paddleocr-detector": partial(_train_with_paddleocr, TrainPaddleOcrDetectorJob),
    "rank-recogniser": partial(_rank, TrainRecogniserJob),
    "rank-detector": partial(_rank, TrainDetectorJob),
    "export-recogniser": partial(_export, ExportRecogniserJob),
    "export-detector": partial(_export, ExportDetectorJob),
}


if __name__ == "__main__":
    sys.exit(main())
