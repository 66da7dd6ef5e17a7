"""Runs stock PaddleOCR in a process of its own, as paddlex warns and logs at import."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

needs_paddleocr = pytest.mark.skipif(
    find_spec("paddleocr") is None, reason="paddleocr is not installed"
)


def run_stock(program: str, *arguments: str, cache: Path) -> Any:
    """Run a program that prints JSON last, and return that."""
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        check=True,
        text=True,
        env={
            **os.environ,
            "PADDLE_PDX_CACHE_HOME": str(cache),
            "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
        },
    )
    return json.loads(run.stdout.strip().splitlines()[-1])
