"""A training ended at any moment goes on, and ends as if nothing had happened."""

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import assert_same_weights, curve, end_at, run

OPTIONS: dict[str, Any] = {
    "epochs": 5,
    "evaluations": 3,
    "checkpoint_every_s": 0.01,
    "composition": {"enabled": False},
}


@pytest.fixture(scope="module")
def uninterrupted(digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    code, errors = run(write_recogniser_job(folder, digits, **OPTIONS))
    assert code == 0, errors
    return folder


def test_a_training_killed_again_and_again_ends_with_the_same_curve(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, **OPTIONS)

    for step in (1, 11, 23):
        end_at(job, step=step, how=signal.SIGKILL)
    code, errors = run(job)

    assert code == 0, errors
    assert curve(tmp_path) == curve(uninterrupted)
    assert_same_weights(tmp_path, uninterrupted)


def test_a_training_asked_to_stop_keeps_its_last_step(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, **OPTIONS | {"checkpoint_every_s": 1000})

    code, errors = end_at(job, step=7, how=signal.SIGTERM)
    kept = [path.name for path in (tmp_path / "state").iterdir()]
    again, _ = run(job)

    assert code == 128 + signal.SIGTERM
    assert f"Stopped at step {int(kept[0])} of 30; run again to go on" in errors
    assert again == 0
    assert curve(tmp_path) == curve(uninterrupted)


def test_a_finished_training_is_not_repeated(uninterrupted: Path) -> None:
    before = (uninterrupted / "result.json").stat()

    code, _ = run(uninterrupted / "job.json")

    assert code == 0
    assert (uninterrupted / "result.json").stat() == before


def test_the_state_of_another_job_is_refused(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "state").symlink_to(uninterrupted / "state")
    job = write_recogniser_job(tmp_path, digits, **OPTIONS | {"seed": 1})

    code, errors = run(job)

    assert code == 2
    assert "holds the state of another job" in errors
