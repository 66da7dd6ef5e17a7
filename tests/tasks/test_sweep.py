"""What killed runs left on a machine is removed before the next run, and nothing else."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.run.alone import alone
from tasks.run.leftovers import DAY_S, Leftover, find_leftovers, remove_leftover
from tasks.sweep import sweep_leftovers
from tasks.workspace import open_workspace

OLD = {
    "jobs/prepare-plates/prepare-x/spool": 2,
    "jobs/assemble-pages-0/golden/0.png": 2,
    "jobs/train-0123/state/0": 31,
    "jobs/export-plates-0/bundle/card.md": 31,
    "bundles/s/plates/.0f.part/manifest.json": 2,
    "snapshots/.0f.part/samples.parquet": 2,
    "serving/plates/.0f.part/manifest.json": 2,
}
"""Days by file: each is removed."""
KEPT = {
    "jobs/prepare-meters/prepare-x/spool": 0.5,
    "jobs/train-4567/state/0": 29,
    "bundles/s/plates/1/manifest.json": 400,
    "serving/plates/1/manifest.json": 400,
    "bundles/s/plates/.1f.part/manifest.json": 0.5,
    "store/datasets/d/0/manifest.json": 400,
    "reports/plates-1.html": 400,
}


@pytest.fixture
def home(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path_factory.mktemp("store")))
    for file, days in (OLD | KEPT).items():
        write(tmp_path / file, days=days)
    return tmp_path


def write(path: Path, *, days: float) -> None:
    """Write a file that is so old, in folders that are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(1000))
    then = time.time() - days * DAY_S
    for each in (path, *path.parents[:4]):
        os.utime(each, (then, then))


def files(home: Path) -> set[str]:
    return {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}


def test_leftovers_of_killed_runs_are_removed_and_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep_leftovers.fn()

    assert files(home) == set(KEPT)
    assert "removed 7 leftovers of killed runs" in capsys.readouterr().err


def test_place_that_a_living_run_works_in_is_left_alone(home: Path) -> None:
    with alone(home, "train-0123", stage="train"):
        sweep_leftovers.fn()

        assert "jobs/train-0123/state/0" in files(home)


def test_place_that_a_run_took_and_left_since_it_was_found_stays(home: Path) -> None:
    (found,) = (each for each in find_leftovers(home) if each.path.name == "train-0123")
    (home / "jobs" / "train-0123" / "state" / "1").write_text("newer")

    assert not remove_leftover(found)
    assert "jobs/train-0123/state/1" in files(home)


def test_sweep_beside_another_leaves_it_to_that_one(home: Path) -> None:
    with alone(home, ".sweep", stage="sweep"):
        sweep_leftovers.fn()

    assert set(OLD) <= files(home)


def test_leftover_that_vanishes_meanwhile_is_no_error(home: Path) -> None:
    gone = Leftover(home / "jobs" / "gone", 0, 1, "work", home / "jobs" / "gone.lock")

    assert not remove_leftover(gone)


def test_sweep_that_is_killed_leaves_nothing_half_removed_to_go_on_with(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_killed(path: Path, **_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr("ocr.store.whole.shutil.rmtree", be_killed)
        with pytest.raises(KeyboardInterrupt):
            sweep_leftovers.fn()
    visible = {path.name for path in (home / "jobs").iterdir() if path.name[0] != "."}
    sweep_leftovers.fn()

    assert "assemble-pages-0" not in visible
    assert set(OLD) & files(home) == set()
    assert {path.name for path in (home / "jobs").iterdir()} == {"prepare-meters", "train-4567"}


def test_what_belongs_to_another_user_stays_and_ends_no_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "jobs" / "train-89ab.lock").touch()
    theirs = {"jobs/train-89ab.lock", "jobs/train-0123", "bundles/s/plates/.0f.part"}

    def refusing(do: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: Path, *args: Any, **more: Any) -> Any:
            if path.is_relative_to(home) and path.relative_to(home).as_posix() in theirs:
                raise PermissionError(1, "Operation not permitted", str(path))
            return do(path, *args, **more)

        return refuse

    with monkeypatch.context() as another:
        for name in ("open", "rename"):
            another.setattr(Path, name, refusing(getattr(Path, name)))
        sweep_leftovers.fn()

    left = {each for each in OLD if each.startswith(tuple(theirs))}
    assert files(home) == {*KEPT, *left, "jobs/train-89ab.lock"}


def test_links_in_leftovers_lead_nobody_astray(home: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside / "image.png", days=40)
    links = {"nowhere": "/nonexistent", "itself": "itself", "folder": str(outside)}
    for name, target in links.items():
        folder = home / "jobs" / f"prepare-{name}"
        write(folder / "spool", days=40)
        (folder / "link").symlink_to(target)
        for each in (folder / "link", folder):
            os.utime(each, (0, 0), follow_symlinks=False)
    (home / "jobs" / "prepare-elsewhere").symlink_to(outside)

    sweep_leftovers.fn()

    assert not list((home / "jobs").glob("prepare-[ienf]*"))
    assert (outside / "image.png").exists()


def test_a_run_says_in_the_store_which_form_it_has(home: Path) -> None:
    sweep_leftovers.fn()

    assert open_workspace().store.read_bytes("state/format.json") == b'{"format": 1}'
