"""Checkpoints of a running training: atomic, the last two kept, the damaged passed over."""

from pathlib import Path

import numpy as np

from training.loop.progress import MetricsLog, read_events
from training.loop.state import TrainState, load_state, save_state


def make_state(step: int) -> TrainState:
    groups = {"net": {"a.weight": np.full((2, 3), step, np.float32)}, "best": {}}
    return TrainState(step=step, groups=groups, facts={"job": "x", "losses": [0.1, step]})


def test_the_newest_state_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    for step in (5, 10, 15):
        save_state(tmp_path, make_state(step))

    state = load_state(tmp_path)

    assert state is not None
    assert (state.step, state.facts) == (15, {"job": "x", "losses": [0.1, 15]})
    np.testing.assert_array_equal(state.groups["net"]["a.weight"], np.full((2, 3), 15))
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == [
        "000000010", "000000015",
    ]  # fmt: skip


def test_a_damaged_state_is_passed_over(tmp_path: Path) -> None:
    save_state(tmp_path, make_state(5))
    save_state(tmp_path, make_state(10))
    arrays = tmp_path / "state" / "000000010" / "arrays.npz"
    arrays.write_bytes(arrays.read_bytes()[:50])

    state = load_state(tmp_path)

    assert state is not None
    assert state.step == 5


def test_a_state_that_was_being_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "state" / ".part").mkdir(parents=True)

    assert load_state(tmp_path) is None


def test_a_log_holds_no_step_twice_after_a_resume(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path, done=0)
    for step in (1, 2, 3):
        log.write("step", step=step, loss=step / 2)
    with (tmp_path / "metrics.jsonl").open("a") as stream:
        stream.write('{"event": "st')

    MetricsLog(tmp_path, done=2).write("step", step=3, loss=7.0)

    events = read_events(tmp_path / "metrics.jsonl")
    assert [(event["step"], event["loss"]) for event in events] == [(1, 0.5), (2, 1.0), (3, 7.0)]


def test_other_ranks_write_no_log(tmp_path: Path) -> None:
    MetricsLog(None).write("step", step=1)

    assert list(tmp_path.iterdir()) == []
