"""The pool's promises that need no server: one version per request, old ones released."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.models.bundle import read_recogniser_bundle
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from tests.serving.tiny_bundle import DIGITS, LETTERS, make_bundle


def make_live(folder: Path, version: str, characters: str) -> LiveModel:
    bundle = make_bundle(folder / version, version=version, characters=characters)
    return LiveModel(
        name="bars",
        version=version,
        key=f"bars:{version}#1",
        engine="onnxruntime",
        manifest=read_recogniser_bundle(bundle),
        loaded_at="2026-01-01T00:00:00Z",
    )


@pytest.fixture
def pool() -> ModelPool:
    return ModelPool(named=(), metrics=ServingMetrics())


def test_request_keeps_its_version_through_a_swap_and_the_last_one_releases_it(
    pool: ModelPool, tmp_path: Path
) -> None:
    pool.expect("bars", "v1")
    pool.swap(make_live(tmp_path, "v1", DIGITS))
    in_flight = pool.choose("bars")
    gone = weakref.ref(in_flight)

    pool.expect("bars", "v2")
    pool.swap(make_live(tmp_path, "v2", LETTERS))

    assert in_flight.version == "v1"
    assert pool.choose("bars").version == "v2"
    del in_flight
    gc.collect()
    assert gone() is None


def test_version_that_is_champion_no_more_is_not_swapped_in(
    pool: ModelPool, tmp_path: Path
) -> None:
    late = make_live(tmp_path, "v1", DIGITS)
    pool.expect("bars", "v1")
    pool.expect("bars", "v2")

    assert not pool.swap(late)
    with pytest.raises(Problem, match="v2 is being loaded"):
        pool.choose("bars")


def test_ready_gateway_stays_ready_while_a_new_model_loads(pool: ModelPool, tmp_path: Path) -> None:
    pool.expect("bars", "v1")
    assert pool.why_not_ready() == "the store was not read yet"
    pool.note_look()
    assert pool.why_not_ready() == "bars: v1 is being loaded"
    pool.swap(make_live(tmp_path, "v1", DIGITS))

    pool.expect("other", "o1")
    pool.note_look(warning="the store does not answer", is_complete=False)

    assert pool.why_not_ready() == ""


def test_model_that_cannot_load_does_not_keep_the_others_from_serving(
    pool: ModelPool, tmp_path: Path
) -> None:
    pool.expect("bars", "v1")
    pool.expect("broken", "b1")
    pool.note_look()
    pool.swap(make_live(tmp_path, "v1", DIGITS))
    assert pool.why_not_ready() == "broken: b1 is being loaded"

    pool.refuse("broken", "b1", "its golden images read otherwise", is_final=True)

    assert pool.why_not_ready() == ""
    with pytest.raises(Problem, match="b1 was refused"):
        pool.choose("broken")


@pytest.mark.parametrize(
    ("named", "ready"), [((), [True, False]), (("bars", "other"), [False] * 2)]
)
def test_model_that_no_worker_has_is_refused_and_stops_a_gateway_that_promised_it_or_has_no_other(
    tmp_path: Path, named: tuple[str, ...], ready: list[bool]
) -> None:
    pool = ModelPool(named=named, metrics=ServingMetrics())
    bars = make_live(tmp_path, "v1", DIGITS)
    other = replace(bars, name="other")
    for live in (bars, other):
        pool.expect(live.name, "v1")
        pool.swap(live)
    pool.note_look()
    was_ready = []
    for live in (bars, other):
        pool.note_lost(live, "it is gone")
        was_ready.append(pool.why_not_ready() == "")
        with pytest.raises(Problem, match=f"{live.name}: it is gone"):
            pool.choose(live.name)

    assert was_ready == ready
    pool.swap(replace(bars))
    pool.note_lost(other, "")
    assert (pool.why_not_ready(), pool.choose("bars").name) == ("", "bars")
