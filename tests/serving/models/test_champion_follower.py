"""A champion that fails to load for long is tried again and told; copies of old ones are swept."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ocr.errors import ProcessDied
from ocr.models.registry import ModelVersion
from serving.metrics import ServingMetrics
from serving.models.champion_follower import LONGEST_PAUSE_S, ChampionFollower
from serving.models.loading import Loader
from serving.models.model_pool import ModelPool
from tests.serving.conftest import Shelf
from tests.serving.tiny_bundle import DIGITS


class AtOnce:
    """Runs what is submitted before it returns."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def submit(self, run: Callable[[Any], None], given: object) -> None:
        run(given)


class Dying(Loader):
    """Its worker ends over every bundle."""

    def load(self, *_: object) -> Any:
        raise ProcessDied("the worker ended")


class Copying(Loader):
    """Leaves a copy of every bundle, and calls it live."""

    def load(self, model: ModelVersion, folder: Path) -> Any:
        folder.mkdir(parents=True)
        return SimpleNamespace(name=model.name, version=model.version, engine="onnxruntime")


def make_follower(loader: type[Loader], shelf: Shelf, metrics: ServingMetrics) -> ChampionFollower:
    return ChampionFollower(
        loader(shelf.registry, crew=None, engine="onnxruntime"),  # type: ignore[arg-type]
        ModelPool(named=(), metrics=metrics),
        named=("bars",),
        cache=shelf.folder / "cache",
        poll_s=0.5,
        metrics=metrics,
    )


def test_a_load_that_fails_for_days_is_still_put_off_and_told(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    module = "serving.models.champion_follower"
    monkeypatch.setattr(f"{module}.ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(f"{module}.time.monotonic", lambda: now)
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    metrics = ServingMetrics()
    follower = make_follower(Dying, shelf, metrics)

    for _ in range(1100):
        follower.look()
        follower.look()  # too soon
        now += LONGEST_PAUSE_S

    assert metrics.load_errors.labels("bars")._value.get() == 1100


def test_copies_are_kept_of_the_champion_and_of_what_a_rollback_brings_back(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving.models.champion_follower.ThreadPoolExecutor", AtOnce)
    follower = make_follower(Copying, shelf, ServingMetrics())

    for version in ("v1", "v2", "v3"):
        shelf.registry.promote("bars", shelf.add(version, DIGITS), reason="next")
        follower.look()

    copies = sorted(path.name for path in (shelf.folder / "cache").glob("*/bars/*"))
    assert copies == ["v2", "v3"]
