from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ocr.registry import Registry
from ocr.store import open_store
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, register

LIMITS = {
    "OCRLINE_MAX_BODY_MB": "0.5",
    "OCRLINE_MAX_IMAGES": "4",
    "OCRLINE_MAX_PIXELS": "1000000",
    "OCRLINE_MAX_REQUEST_PIXELS": "1500000",
    "OCRLINE_BODY_TIMEOUT_S": "1",
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


def make_shelf(folder: Path) -> Shelf:
    return Shelf(Registry(open_store(str(folder / "store"))), folder)


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
