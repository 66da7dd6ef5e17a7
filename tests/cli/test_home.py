"""A home that may not be written, or read: what is told, and what works all the same."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import run
from tests.read_only_disk import read_only_disk


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "disk" / "home"
    home.parent.mkdir()
    monkeypatch.setenv("OCRLINE_HOME", str(home))
    monkeypatch.delenv("OCRLINE_STORE", raising=False)
    return home


def read_only(home: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command whose home is on a disk that may only be read."""
    line = [*read_only_disk(home.parent), sys.executable, "-m", "cli.main", *command]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("is_there", [True, False], ids=["there", "none yet"])
@pytest.mark.parametrize(
    "command",
    [["prepare", "smoke"], ["keys", "add", "a"], ["up"], ["down"], ["deployments", "list"]],
)
def test_a_home_on_a_read_only_disk_is_named_with_what_to_do(
    command: list[str], is_there: bool, home: Path
) -> None:
    if is_there:
        home.mkdir()

    done = read_only(home, *command)

    said = f"OCRLINE_HOME {home} cannot be written (Read-only file system); name another one"
    assert done.returncode == 5
    assert done.stderr.splitlines()[-1] == f"error: {said}"


ONLY_READS = pytest.mark.parametrize("command", [["status"], ["models", "list"], ["prune"]])


@ONLY_READS
@pytest.mark.parametrize("is_there", [True, False], ids=["there", "none, and a store elsewhere"])
def test_who_only_reads_writes_to_no_home(
    command: list[str], is_there: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_there:
        home.mkdir()
    else:
        monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))

    done = read_only(home, *command)

    assert done.returncode == 0, done.stderr


@ONLY_READS
def test_a_home_that_is_not_there_is_not_taken_for_one_with_an_empty_store(
    command: list[str], home: Path
) -> None:
    done = read_only(home, *command)

    assert done.returncode == 5
    assert f"OCRLINE_HOME {home} cannot be written" in done.stderr


@pytest.mark.parametrize(
    "module", [["cli.main", "models", "list"], ["cli.main", "serve"], ["serving"]], ids=" ".join
)
def test_a_home_below_a_file_is_named(
    module: list[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.touch()
    monkeypatch.setenv("OCRLINE_HOME", str(home / "below"))

    line = [sys.executable, "-m", *module]
    done = subprocess.run(line, capture_output=True, text=True, check=False)

    assert done.returncode in (2, 5)
    (said,) = done.stderr.splitlines()
    assert said.startswith("error: OCRLINE_HOME ")
    assert f"(Not a directory: {home}/below" in said


@pytest.mark.parametrize("place", ["services/lock", "", ".."])
def test_a_home_of_somebody_else_is_named_with_the_place_that_is_denied(
    place: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    denied = Path(os.path.normpath(home / place))

    assert run_denied(denied, monkeypatch) == 5

    said = f"OCRLINE_HOME {home} cannot be used (Permission denied: {denied}); name another one"
    assert capsys.readouterr().err == f"error: {said}\n"


def test_a_denied_place_that_is_no_part_of_the_home_is_named_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()

    assert [run_denied(place, monkeypatch) for place in (home.parent, Path("/labels"))] == [5, 5]

    said = capsys.readouterr().err
    assert "OCRLINE_HOME" not in said
    assert f"'{home.parent}'" in said


def run_denied(place: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of a command that may not use a place."""

    def app(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(place))

    monkeypatch.setattr("cli.main.app", app)
    return run([])
