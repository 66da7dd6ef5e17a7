"""What a training needs beside our own code: nothing, or PaddleOCR's source tree and runtime."""

from configs.jobs import PaddleOcrRuntime
from configs.paddleocr import Training
from configs.settings import Settings
from ocr.source_tree import find_source_tree


def check_engine(*trainings: Training) -> None:
    """Look for what the engines of trainings need before anything else is done.

    Raises:
        BadInput: It is missing; the error says how to get it.
    """
    if any(training.engine == "paddleocr" for training in trainings):
        find_runtime()


def find_runtime() -> PaddleOcrRuntime:
    """Find the source tree and the interpreter that the environment names.

    Raises:
        BadInput: One of them is missing.
    """
    settings = Settings()
    found = find_source_tree(settings.paddleocr_home, settings.paddleocr_python)
    return PaddleOcrRuntime(
        home=str(found.home), python=str(found.python), tree=found.tree, packages=found.packages
    )
