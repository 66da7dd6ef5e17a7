"""Reads folders of PNGs with stock PaddleOCR, one folder a request.

``python -m training.stock_paddleocr MODEL_NAME [MODEL_DIR]``, run by `ocr.reading.baselines`.
A line on stdin names a folder, a line on stdout answers ``[[text, confidence], …]`` in the order of
the file names. A first line ``"ready"`` says that the model is loaded.
"""

import json
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, cast

BATCH_SIZE = 32


def main(arguments: list[str]) -> None:
    """Answer requests until stdin ends."""
    answers = _keep_stdout_clean()
    model_name, model_dir = arguments[0], arguments[1] if len(arguments) > 1 else ""
    model = _load(model_name, model_dir)
    _answer(answers, "ready")
    for line in sys.stdin:
        paths = sorted(str(path) for path in Path(line.rstrip("\n")).glob("*.png"))
        results = model.predict(paths, batch_size=BATCH_SIZE)
        _answer(answers, [[result["rec_text"], float(result["rec_score"])] for result in results])


def _load(model_name: str, model_dir: str) -> Any:
    if model_dir:  # nothing to fetch, so no need to ask which of the hosts is up
        os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"
    from paddleocr import TextRecognition

    return TextRecognition(model_name=model_name, model_dir=model_dir or None)


def _answer(answers: TextIO, content: object) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


def _keep_stdout_clean() -> TextIO:
    """Send what libraries print to stderr, and return what was stdout."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # Else what they said early is written last, and taken for the reason of an end.
    cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=True)
    return answers


if __name__ == "__main__":
    main(sys.argv[1:])
