"""The interpreter with Paddle Serving, where this machine has it."""

import os
from pathlib import Path

import pytest

RUNTIME = Path(__file__).resolve().parents[3] / ".venv-serving" / "bin" / "python"


def find_serving_runtime() -> Path:
    """Return it, or skip the test and say how to get it."""
    python = Path(os.environ.get("OCRLINE_PADDLE_SERVING_PYTHON") or RUNTIME)
    if not python.is_file():
        pytest.skip("no Paddle Serving: run `make serving-runtime` (needs a Python 3.9)")
    return python
