"""Checkpoints of a running training: atomic, the last two kept, the damaged passed over."""

from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize("left", [0, 50])
def test_a_damaged_state_is_passed_over(tmp_path: Path, left: int) -> None:
    save_state(tmp_path, make_state(5))
    save_state(tmp_path, make_state(10))
    arrays = tmp_path / "state" / "000000010" / "arrays.npz"
    arrays.write_bytes(arrays.read_bytes()[:left])

    state = load_state(tmp_path)

    assert state is not None
    assert state.step == 5


def test_a_state_that_was_being_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "state" / ".part").mkdir(parents=True)

    assert load_state(tmp_path) is None
