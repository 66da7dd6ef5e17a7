"""Bundles with every form, and the interpreter that serves the legacy one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import tests.training.conftest  # noqa: F401  (paddle, its import warnings aside)
from serving.engines.pipeline_process import PipelineProcess
from tests.serving.engines.serving_runtime import find_serving_runtime
from tests.training.export.line_store import line_store
from tests.training.export.page_store import page_store
from training.export.export import export_model

Start = Callable[[], PipelineProcess]


@pytest.fixture(scope="session")
def python() -> Path:
    return find_serving_runtime()


@pytest.fixture(scope="session")
def lines(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recogniser's bundle."""
    root = tmp_path_factory.mktemp("served-lines")
    _, job = line_store(root, layout="line")
    (root / "job").mkdir()
    return root / "job" / export_model(job, root / "job").bundle


@pytest.fixture(scope="session")
def pages(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector's bundle."""
    root = tmp_path_factory.mktemp("served-pages")
    _, job = page_store(root)
    (root / "job").mkdir()
    return root / "job" / export_model(job, root / "job").bundle


@pytest.fixture
def start(python: Path, lines: Path) -> Start:
    """Starts a process over the recogniser."""
    return lambda: PipelineProcess(python, lines, version="toy:v1")


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before = set(psutil.Process().children(recursive=True))
    yield
    left = set(psutil.Process().children(recursive=True)) - before
    assert psutil.wait_procs(left, timeout=60)[1] == []
