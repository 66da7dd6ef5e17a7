from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from ocr.models.gap_model import GapModel
from ocr.models.registry import Registry
from ocr.store import open_store
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, register
from tests.serving.tiny_pipeline import NAME, register_pipeline

LIMITS = {
    "OCRLINE_MAX_BODY_MB": "0.5",
    "OCRLINE_MAX_IMAGES": "4",
    "OCRLINE_MAX_PIXELS": "1000000",
    "OCRLINE_MAX_REQUEST_PIXELS": "1500000",
    "OCRLINE_BODY_TIMEOUT_S": "1",
}
PAGE_LIMITS = {
    "OCRLINE_MAX_BODY_MB": "2",
    "OCRLINE_MAX_PIXELS": "2000000",
    "OCRLINE_MAX_PAGES": "3",
}


@dataclass(frozen=True)
class Shelf:
    """A registry in a folder, and where to make bundles for it."""

    registry: Registry
    folder: Path

    @property
    def store(self) -> str:
        return str(self.folder / "store")

    def add(self, version: str, characters: str) -> str:
        return register(self.registry, self.folder / "made", version=version, characters=characters)

    def add_pages(
        self,
        version: str,
        characters: str,
        *,
        name: str = NAME,
        second: str = "",
        gaps: GapModel | None = None,
        **options: float,
    ) -> str:
        return register_pipeline(
            self.registry,
            self.folder / "made",
            version=version,
            characters=characters,
            name=name,
            second=second,
            gaps=gaps,
            **options,
        )


def make_shelf(folder: Path) -> Shelf:
    return Shelf(Registry(open_store(str(folder / "store"))), folder)


class Clock:
    """By which a key's minutes pass."""

    now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    named = SimpleNamespace(monotonic=clock.monotonic)
    monkeypatch.setattr("serving.access.allowance.time", named)
    return clock


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway that reads digits, with small limits, for every test that changes nothing."""
    shelf = make_shelf(tmp_path_factory.mktemp("serving"))
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    with running_gateway(shelf.folder / "home", store=shelf.store, **LIMITS) as running:
        running.wait_ready()
        yield running


@pytest.fixture(scope="session")
def page_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway with the pipeline `pages` and the recogniser `bars`, for what changes nothing."""
    with serving_pages(tmp_path_factory.mktemp("serving-pages")) as running:
        yield running


@contextmanager
def serving_pages(folder: Path, **variables: str) -> Iterator[Gateway]:
    shelf = make_shelf(folder)
    shelf.add("v1", DIGITS)
    shelf.add_pages("p1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    shelf.registry.promote("pages", "p1", reason="first")
    limits = {**PAGE_LIMITS, **variables}
    with running_gateway(shelf.folder / "home", store=shelf.store, **limits) as running:
        running.wait_ready()
        yield running
