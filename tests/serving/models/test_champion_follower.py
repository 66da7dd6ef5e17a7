"""A champion that fails to load for long: tried at the longest pause, and told each time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import ProcessDied
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


def test_a_load_that_fails_for_days_is_still_put_off_and_told(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    module = "serving.models.champion_follower"
    monkeypatch.setattr(f"{module}.ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(f"{module}.time.monotonic", lambda: now)
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    metrics = ServingMetrics()
    follower = ChampionFollower(
        Dying(shelf.registry, crew=None, engine="onnxruntime"),  # type: ignore[arg-type]
        ModelPool(named=(), metrics=metrics),
        named=("bars",),
        cache=tmp_path / "cache",
        poll_s=0.5,
        metrics=metrics,
    )

    for _ in range(1100):
        follower.look()
        follower.look()  # too soon
        now += LONGEST_PAUSE_S

    assert metrics.load_errors.labels("bars")._value.get() == 1100
