import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from deploy import ports

# Hypothesis tries the same examples every time; to try others, ten times as many:
# --hypothesis-profile=explore --hypothesis-seed=N
_COMMON = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
settings.register_profile("same", _COMMON, derandomize=True)
settings.register_profile("explore", _COMMON, max_examples=1000)
settings.load_profile("same")


LONG = ("tests/end_to_end/", "tests/training/paddleocr/", "tests/bench/operations/")
"""What takes minutes, file by file. One that begins last is waited for alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


def pytest_configure() -> None:
    """Let tests pick no port that those beside them have picked, and not opened yet."""
    worker, count = (os.environ.get(f"PYTEST_XDIST_WORKER{name}") for name in ("", "_COUNT"))
    if worker and count:
        ports.FREE_PORTS = ports.FREE_PORTS[int(worker.removeprefix("gw")) :: int(count)]


@pytest.fixture(autouse=True)
def restored_settings() -> Iterator[None]:
    """Commands hand `--store` down to their processes in the environment; tests do not."""
    before = _settings()
    yield
    for name in _settings():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture
def hears_interrupts() -> Iterator[None]:
    """Let what is started hear SIGINT, also where a shell started these tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("OCRLINE_")}
