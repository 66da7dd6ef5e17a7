"""Two runs of one machine that make the same: one makes it, the other waits and finds it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tasks.run.alone import alone
from tasks.run.jobs import JobEnded

HOLD = """
import sys, time
from pathlib import Path
from tasks.run.alone import alone
with alone(Path(sys.argv[1]), "thing", stage="train") as place:
    place.folder.mkdir(exist_ok=True)
    (place.folder / "half").write_text("made")
    print("holds", flush=True)
    sys.stdin.readline()
"""


def hold(home: Path) -> "subprocess.Popen[str]":
    """Start a process that holds the place until it is told, or killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    return process


def test_place_of_a_killed_process_is_free_with_what_it_left(tmp_path: Path) -> None:
    with hold(tmp_path) as process:
        process.kill()

        with alone(tmp_path, "thing", stage="train") as place:
            assert (place.folder / "half").read_text() == "made"


def test_who_waits_says_so_again_and_again_and_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.run.alone.SAY_EVERY_S", 0.1)
    monkeypatch.setattr("tasks.run.alone.POLL_S", 0.05)
    said: list[str] = []

    with hold(tmp_path) as process:

        def hear(_: str, message: str) -> None:
            said.append(message)
            if len(said) == 3:
                process.communicate("go\n")

        monkeypatch.setattr("tasks.run.alone.narrate", hear)
        with alone(tmp_path, "thing", stage="train"):
            pass

    assert len(said) == 3
    assert said[0] == "waiting for another run of this machine, which makes thing"


def test_run_that_failed_elsewhere_waits_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.run.alone.is_ended", lambda: True)

    with hold(tmp_path) as process:
        with pytest.raises(JobEnded), alone(tmp_path, "thing", stage="train"):
            pass
        process.kill()


def test_nothing_is_left_of_a_lock_and_of_a_folder_that_was_emptied(tmp_path: Path) -> None:
    (tmp_path / "jobs" / "thing").mkdir(parents=True)
    (tmp_path / "jobs" / "thing" / "of a killed run").write_text("")

    with alone(tmp_path, "thing", stage="prepare") as place, place.emptied() as folder:
        before = list(folder.iterdir())
        (folder / "file").write_text("")

    assert before == []
    assert list((tmp_path / "jobs").iterdir()) == []
