"""``ocrline prune``: shows first, removes when told to."""

import json
import os
import time
from pathlib import Path

import pytest

from cli.main import run
from ocr.errors import StoreRefused, StoreUnavailable
from ocr.machine.owner import name_user
from ocr.store.local import LocalStore
from tasks.workspace import open_workspace

DAY_S = 24 * 3600


@pytest.fixture
def lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of a refused set, of 40 days ago."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    path = tmp_path / "store" / "datasets" / "plates" / "refused" / "0" / "quarantine.csv"
    path.parent.mkdir(parents=True)
    path.write_text("rows")
    then = time.time() - 40 * DAY_S
    os.utime(path, (then, then))
    return path


def test_what_would_go_is_shown_and_stays(lost: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", "--json"]) == 0

    (row,) = json.loads(capsys.readouterr().out)
    assert row["what"] == "datasets/plates/refused/0"
    assert (row["bytes"], row["may_go"], row["removed"]) == (4, True, False)
    assert lost.exists()


def test_table_says_how_many_may_go_and_what_stays_and_why(
    lost: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = lost.parents[2] / "tests" / "0.parquet"
    kept.parent.mkdir()
    kept.write_bytes(bytes(1_000_000))

    assert run(["prune"]) == 0

    rows = [line.strip("│ ") for line in capsys.readouterr().out.splitlines()]
    cells = [[cell.strip() for cell in row.split("│")] for row in rows]
    assert ["test split", "1", "1.0", "settings may freeze it"] in cells
    assert ["refused set", "1", "0.0", "bad rows of a refused set"] in cells
    assert rows[-1] == "1 things, 0.0 MB may go; --yes removes them, --json names each"
    assert lost.exists()


def test_told_so_it_goes(lost: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prune", "--yes"]) == 0

    assert not lost.exists()
    assert "1 things, 0.0 MB removed" in capsys.readouterr().out


def test_a_store_that_is_full_is_pruned_first(
    lost: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put, tries = LocalStore.put_bytes, []

    def fill(store: LocalStore, key: str, data: bytes) -> None:
        tries.append(lost.exists())
        if lost.exists():
            raise StoreUnavailable("No space left on device")
        put(store, key, data)

    monkeypatch.setattr(LocalStore, "put_bytes", fill)

    assert run(["prune", "--yes"]) == 0
    assert tries == [True, True, False]  # the clock's, and twice the record
    assert len(list(open_workspace().store.list("prunes"))) == 1
    assert "is not kept: No space left" in capsys.readouterr().err


def test_who_removed_what_is_kept(lost: Path) -> None:
    store = open_workspace().store
    assert run(["prune"]) == 0
    assert list(store.list("prunes")) == []

    assert run(["prune", "--yes"]) == 0
    assert run(["prune", "--yes"]) == 0  # nothing is left to be removed

    (key,) = store.list("prunes")
    said = json.loads(store.read_bytes(key))
    assert said["by"] == name_user()
    assert [each["kind"] for each in said["things"]] == ["refused set"]
    assert lost.parent.name in said["things"][0]["what"]


def test_what_lies_on_this_machine_goes_too(
    lost: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "home" / "bundles" / "s" / "plates" / "1"
    copy.mkdir(parents=True)
    os.utime(copy, (0, 0))

    assert run(["prune", "--yes", "--json"]) == 0

    assert not copy.exists()
    assert [row["removed"] for row in json.loads(capsys.readouterr().out)] == [True, True]


def test_empty_store_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))

    assert run(["prune", "--store", f"file://{tmp_path}/none"]) == 0

    assert capsys.readouterr().out == f"nothing is stored in file://{tmp_path}/none\n"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("days", "code"), [("60", 0), ("3", 2)])
def test_what_is_younger_stays_and_a_week_is_the_least(lost: Path, days: str, code: int) -> None:
    assert run(["prune", "--yes", "--older-than", days]) == code

    assert lost.exists()


def test_a_clock_that_is_ahead_removes_nothing(
    lost: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 400 * DAY_S)

    assert run(["prune", "--yes"]) == 2

    said = " ".join(capsys.readouterr().err.split())
    assert "the clock of this machine is 9600.0 hours ahead of that of file://" in said
    store = lost.parents[4]
    assert [path.name for path in store.rglob("[!.]*.*")] == ["quarantine.csv"]


def test_a_key_that_may_not_remove_is_told_before_anybody_is_said_to(
    lost: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: LocalStore, key: str) -> None:
        raise StoreRefused(f"no right to remove {key}")

    monkeypatch.setattr(LocalStore, "remove", refuse)

    assert run(["prune", "--yes"]) == 5

    assert "no right to remove" in capsys.readouterr().err
    assert not (lost.parents[4] / "prunes").exists()
