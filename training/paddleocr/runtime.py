"""PaddleOCR's tree and interpreter as a job finds them, beside what its key says of them."""

import os
from pathlib import Path

from configs.jobs import PaddleOcrRuntime
from ocr.errors import OcrError
from ocr.machine.machine import Machine
from ocr.source_tree import SourceTree, find_source_tree
from training.paddleocr.tool.process import foreign_environment

LOCK = Path(__file__).parents[2] / "deploy" / "paddleocr" / "requirements.lock"


def find_unchanged(runtime: PaddleOcrRuntime) -> SourceTree:
    """Return tree and interpreter, if they are still those that the job's key names.

    Raises:
        BadInput: One is missing.
        OcrError: One was changed since; what it trains would stand under a wrong key.
    """
    found = find_source_tree(runtime.home, Path(runtime.python), config=runtime.config)
    for said, now, before in (
        (f"The source tree {runtime.home}", found.tree, runtime.tree),
        (f"What is installed for {runtime.python}", found.packages, runtime.packages),
    ):
        if now != before:
            raise OcrError(
                f"{said} was changed since this run began; run again to train with what it is "
                "now, or put it back to go on where this run was"
            )
    return found


def foreign_machine(found: SourceTree) -> Machine:
    """Return this machine as the trainer's process sees it."""
    return Machine(
        environment=foreign_environment(os.environ),
        packages=found.interpreter.folders,
        python=str(found.python),
        lock=LOCK,
        setup="make paddleocr-runtime",
    )


def describe_runtime(found: SourceTree) -> dict[str, str]:
    """Return what result.json records of what trained."""
    interpreter = found.interpreter
    return {
        "engine": "paddleocr",
        "paddleocr": found.tree[:12],
        "paddle": interpreter.paddle,
        "python": interpreter.version,
        "packages": interpreter.named(),
    }
