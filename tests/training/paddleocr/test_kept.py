"""What a kill leaves of a training by PaddleOCR."""

import shutil
from pathlib import Path

import pytest

from training.paddleocr.kept import Kept

SUFFIXES = (".pdparams", ".pdopt", ".states")


def write(path: Path, content: str) -> Path:
    for suffix in SUFFIXES:
        Path(f"{path}{suffix}").write_text(content + suffix)
    return path


def test_a_rerun_goes_on_from_the_last_whole_epoch(tmp_path: Path) -> None:
    first = Kept(tmp_path)
    first.keep_epoch(write(tmp_path / "latest", "one"), epoch=1, step=5, seconds=2.0)
    first.keep_epoch(write(tmp_path / "latest", "two"), epoch=2, step=10, seconds=4.0)
    (tmp_path / "latest.pdparams").write_text("tor")  # the kill comes while the third is written

    again = Kept(tmp_path)

    assert (again.state.epoch, again.state.step, again.state.seconds) == (2, 10, 4.0)
    assert [Path(f"{again.latest}{suffix}").read_text() for suffix in SUFFIXES] == [
        f"two{suffix}" for suffix in SUFFIXES
    ]
    assert not list((tmp_path / "kept").glob("epoch-1*"))


def test_the_best_weights_outlive_worse_ones_of_a_rerun(tmp_path: Path) -> None:
    Kept(tmp_path).keep_best(write(tmp_path / "best_accuracy", "good"), score=0.8)

    again = Kept(tmp_path)
    again.keep_best(write(tmp_path / "best_accuracy", "worse"), score=0.3)

    assert again.state.score == 0.8
    assert again.weights.with_suffix(".pdparams").read_text() == "good.pdparams"


def test_without_a_validation_the_last_weights_are_used(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.keep_epoch(write(tmp_path / "latest", "one"), epoch=1, step=5, seconds=0)

    assert kept.weights.with_suffix(".pdparams").read_text() == "one.pdparams"


def test_files_that_are_written_meanwhile_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path)
    kept.keep_epoch(write(tmp_path / "latest", "one"), epoch=1, step=5, seconds=0)
    copy = shutil.copyfile

    def overtaken(source: Path, target: Path) -> None:
        copy(source, target)
        Path(source).write_text("half of the next")

    monkeypatch.setattr(shutil, "copyfile", overtaken)
    kept.keep_epoch(write(tmp_path / "latest", "two"), epoch=2, step=10, seconds=0)

    assert Kept(tmp_path).state.epoch == 1
    assert kept.latest.with_suffix(".pdparams").read_text() == "one.pdparams"


def test_a_checkpoint_that_is_said_and_not_there_is_not_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    kept.keep_epoch(tmp_path / "none/latest", epoch=1, step=5, seconds=0)
    kept.keep_best(tmp_path / "none/best", score=0.5)

    assert (Kept(tmp_path).state.epoch, Kept(tmp_path).state.score) == (0, -1.0)
