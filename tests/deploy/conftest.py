"""A machine with nothing of ours on it."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from configs.settings import Settings
from deploy.services import stop_services


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home of its own, and a folder whose modules are named as ours."""
    for name in ("serving.py", "deploy.py", "training.py"):
        (tmp_path / name).write_text("raise SystemExit('a file of the user')")
    with patch.dict(os.environ):
        for name in [n for n in os.environ if n.startswith(("OCRLINE_", "PREFECT_"))]:
            del os.environ[name]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
        yield
        stop_services(Settings())
