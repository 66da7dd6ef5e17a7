"""A move of an alias whose answer the network lost: it counts where the store took it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.errors import StoreUnavailable
from ocr.models.registry import Registry
from ocr.store import open_store
from tests.toy_bundle import write_toy_bundle

NAME = "plates"


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """The champion is v1; v2 is another version."""
    registry = Registry(open_store(str(tmp_path / "store")))
    for version in ("v1", "v2"):
        bundle = write_toy_bundle(tmp_path / version, name=NAME, version=version)
        registry.register(NAME, version, bundle)
    registry.promote(NAME, "v1", reason="first")
    return registry


def lose_answers(
    registry: Registry, patch: pytest.MonkeyPatch, swap: Callable[..., object]
) -> None:
    def lose(*args: str, **named: str) -> str:
        swap(*args, **named)
        raise StoreUnavailable("no answer")

    patch.setattr(registry.store, "compare_and_swap", lose)


def test_a_promotion_that_the_store_took_can_be_undone(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as lossy:
        lose_answers(registry, lossy, registry.store.compare_and_swap)
        promoted = registry.promote(NAME, "v2", reason="better")

    assert promoted.has_moved
    assert registry.undo(promoted, reason="unproven").version == "v1"


def test_a_promotion_that_did_not_arrive_is_none(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_answers(registry, monkeypatch, lambda *_, **__: None)

    with pytest.raises(StoreUnavailable, match="no answer"):
        registry.promote(NAME, "v2", reason="better")

    assert registry.resolve(NAME).version == "v1"
