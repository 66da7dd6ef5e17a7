"""What a kill leaves of a training by PaddleOCR."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from training.paddleocr.kept import Kept

SUFFIXES = (".pdparams", ".pdopt", ".states")
KILLED = """
import os, signal, sys
from pathlib import Path
from ocr.store.whole import written_whole
with written_whole(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def write(path: Path, content: str) -> Path:
    for suffix in SUFFIXES:
        Path(f"{path}{suffix}").write_text(content + suffix)
    return path


def train(folder: Path, *scores: float | None) -> Kept:
    """Keep epochs, each by a process of its own."""
    for epoch, score in enumerate(scores, start=1):
        written = write(folder / "written", f"epoch {epoch}")
        spent = {"seconds": 2.0 * epoch, "images": 40.0 * epoch, "learning_s": 1.5 * epoch}
        Kept(folder).keep(written, epoch=epoch, step=5 * epoch, score=score, **spent)
    return Kept(folder)


def test_a_rerun_goes_on_from_the_last_whole_epoch(tmp_path: Path) -> None:
    train(tmp_path, 0.5, 0.6)
    (tmp_path / "kept/epoch-3.pdparams").write_text("killed before the others were taken")

    again = Kept(tmp_path)

    assert (again.state.epoch, again.state.step, again.state.seconds) == (2, 10, 4.0)
    assert [Path(f"{again.latest}{suffix}").read_text() for suffix in SUFFIXES] == [
        f"epoch 2{suffix}" for suffix in SUFFIXES
    ]


def test_a_power_cut_leaves_no_state_that_names_what_is_not_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable: list[str] = []

    def note(descriptor: int) -> None:
        durable.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    monkeypatch.setattr(os, "fsync", note)

    train(tmp_path, 0.5)

    assert [Path(path).suffix for path in durable] == [*SUFFIXES, ".part"]


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ((0.8, 0.3, 0.5), 1),
        ((0.8, None, None), 1),
        ((None, 0.0), 2),
        ((0.8, 0.8, 0.7), 2),  # of equal ones the later
    ],
)
def test_the_best_weights_and_their_score_outlive_the_epochs_after_them(
    tmp_path: Path, scores: tuple[float | None, ...], best: int
) -> None:
    kept = train(tmp_path, *scores)

    assert kept.weights.with_suffix(".pdparams").read_text() == f"epoch {best}.pdparams"
    assert (kept.state.best, kept.state.score) == (best, scores[best - 1])


@pytest.mark.parametrize(
    ("scores", "stale"),
    [
        ((0.8, 0.8, None, 0.7), 2),
        ((0.8, 0.7, 0.9), 0),
        ((0.0, 0.0, 0.0), 0),  # it has yet to begin
        ((0.0, 0.1, 0.0), 1),
    ],
)
def test_validations_without_a_better_score_are_counted_once_something_is_read(
    tmp_path: Path, scores: tuple[float | None, ...], stale: int
) -> None:
    assert train(tmp_path, *scores).state.stale == stale


def test_what_nobody_needs_is_deleted(tmp_path: Path) -> None:
    train(tmp_path, 0.1, 0.9, 0.2, 0.3)

    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "state.json",
        "epoch-2.pdparams",
        *(f"epoch-4{suffix}" for suffix in SUFFIXES),
    }


def test_what_a_kill_left_of_a_state_is_deleted(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    train(tmp_path, 0.5)
    whole = set(kept.iterdir())
    killed = subprocess.run([sys.executable, "-c", KILLED, str(kept / "state.json")], check=False)
    left = set(kept.iterdir()) - whole

    again = Kept(tmp_path)

    assert killed.returncode == -signal.SIGKILL
    assert len(left) == 1
    assert set(kept.iterdir()) == whole
    assert again.state.epoch == 1


def test_a_checkpoint_that_is_said_and_not_there_is_not_kept(tmp_path: Path) -> None:
    kept = train(tmp_path, 0.5)
    half = write(tmp_path / "half", "")
    half.with_suffix(".states").unlink()

    kept.keep(half, epoch=2, step=10, seconds=0, score=0.9, images=80, learning_s=3)

    assert (Kept(tmp_path).state.epoch, Kept(tmp_path).state.score) == (1, 0.5)
    assert kept.latest.with_suffix(".pdparams").read_text() == "epoch 1.pdparams"
