"""A champion that fails to load for long is tried again and told; copies of old ones are swept."""

import threading
import time
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

    def submit(self, run: Callable[..., None], *given: object) -> None:
        run(*given)


class Dying(Loader):
    """Its worker ends over every bundle."""

    def load(self, *_: object) -> Any:
        raise ProcessDied("the worker ended")


class Useless(Loader):
    """Mends what stays damaged."""

    def mend(self, *_: object) -> None:
        """Say that all is well."""


class Copying(Loader):
    """Leaves a copy of every bundle, and calls it live."""

    def load(self, model: ModelVersion, folder: Path) -> Any:
        folder.mkdir(parents=True)
        return SimpleNamespace(name=model.name, version=model.version, engine="onnxruntime")


class Endless(Copying):
    """Comes to no end over two models but at their first try, when its worker is ended."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.over = threading.Event()
        self.tried: list[str] = []

    def load(self, model: ModelVersion, folder: Path) -> Any:
        self.tried.append(model.name)
        if model.name == "bars":
            return super().load(model, folder)
        if self.tried.count(model.name) > 1:
            self.over.wait(60)
        raise ProcessDied("the worker was ended")


def make_follower(
    loader: type[Loader],
    shelf: Shelf,
    metrics: ServingMetrics,
    *,
    named: tuple[str, ...] = ("bars",),
    poll_s: float = 0.5,
) -> ChampionFollower:
    return ChampionFollower(
        loader(shelf.registry, crew=None, engine="onnxruntime"),  # type: ignore[arg-type]
        ModelPool(named=(), metrics=metrics),
        named=named,
        cache=shelf.folder / "cache",
        poll_s=poll_s,
        metrics=metrics,
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A time that passes by hand, and threads that work at once."""
    clock = SimpleNamespace(now=0.0)
    module = "serving.models.champion_follower"
    monkeypatch.setattr(f"{module}.ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(f"{module}.time.monotonic", lambda: clock.now)
    return clock


def test_a_load_that_fails_for_days_is_still_put_off_and_told(
    shelf: Shelf, clock: SimpleNamespace
) -> None:
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    metrics = ServingMetrics()
    follower = make_follower(Dying, shelf, metrics)

    for _ in range(1100):
        follower.look()
        follower.look()  # too soon
        clock.now += LONGEST_PAUSE_S

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


def test_what_comes_to_no_end_keeps_no_other_model_from_being_updated(shelf: Shelf) -> None:
    endless = ("first", "second")
    for name in endless:
        shelf.registry.promote(name, shelf.add_pages("p1", DIGITS, name=name), reason="first")
    named = (*endless, "bars")
    follower = make_follower(Endless, shelf, ServingMetrics(), named=named, poll_s=0.01)
    loader: Any = follower._loader

    def look_until(is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not is_so() and time.monotonic() < end:
            follower.look()
            time.sleep(0.01)
        assert is_so()

    look_until(lambda: [loader.tried.count(name) for name in endless] == [2, 2])
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    look_until(
        lambda: "bars" in follower._pool.states and not follower._pool.states["bars"].is_behind
    )

    loader.over.set()
    follower._stop.set()
    for loaders in (follower._loaders, follower._again):
        loaders.shutdown(cancel_futures=True)


def test_a_copy_that_stays_damaged_after_it_was_mended_is_lost_until_a_worker_has_it(
    shelf: Shelf, clock: SimpleNamespace
) -> None:
    follower = make_follower(Useless, shelf, ServingMetrics())
    given_up: list[str] = []
    workers: set[str] = set()
    crew = SimpleNamespace(
        damaged={"bars:v1#1": f"{follower._cache / 'bars/v1'} holds other bundles"},
        has=workers.__contains__,
        give_up=given_up.append,
    )
    object.__setattr__(follower._loader, "crew", crew)
    live = SimpleNamespace(name="bars", version="v1", key="bars:v1#1", engine="onnxruntime")
    pool = follower._pool
    pool.expect("bars", "v1")
    pool.swap(live)  # type: ignore[arg-type]
    lost = []

    for _ in range(3):
        follower._mend_copies()
        lost.append(pool.states["bars"].lost)
        clock.now += LONGEST_PAUSE_S / 2

    assert lost[:2] == ["", ""]
    assert lost[2].startswith("its copy here is damaged and cannot be mended now")
    assert str(shelf.folder) not in lost[2]
    assert given_up == ["bars:v1#1"]
    workers.add("bars:v1#1")
    follower._mend_copies()
    assert pool.states["bars"].lost == ""
