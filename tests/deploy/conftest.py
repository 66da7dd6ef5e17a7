"""A machine with nothing of ours on it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from configs.settings import Settings
from deploy.services import stop_services
from tests.prefect_tables import give_tables


@pytest.fixture
def own_home(tmp_path: Path) -> Iterator[None]:
    """A home of its own, and a folder whose modules are named as ours."""
    with own_home_in(tmp_path):
        yield


@pytest.fixture
def prefect_tables(own_home: None, tmp_path: Path) -> None:
    """Tables for the Prefect of that home."""
    give_tables(tmp_path / "home" / "prefect")


@contextmanager
def own_home_in(folder: Path, **variables: str) -> Iterator[None]:
    """Work in a folder with a home of its own, and with modules named as ours."""
    for name in ("serving.py", "deploy.py", "training.py", "flows.py"):
        (folder / name).write_text("raise SystemExit('a file of the user')")
    before = Path.cwd()
    with patch.dict(os.environ):
        for name in [n for n in os.environ if n.startswith(("OCRLINE_", "PREFECT_"))]:
            del os.environ[name]
        os.environ.update({"OCRLINE_HOME": str(folder / "home"), **variables})
        os.chdir(folder)
        try:
            yield
        finally:
            stop_services(Settings())
            os.chdir(before)
