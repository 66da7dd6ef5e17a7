"""The command line: help, wrong usage, and the machine-readable answers."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import filelock
import httpx
import psutil
import pytest

from cli.main import run
from deploy.background import ServiceFailed
from ocr.errors import OcrError
from ocr.store import open_store
from tests.serving.conftest import Shelf
from tests.serving.tiny_bundle import DIGITS, LETTERS, png

COMMANDS = [
    ["retrain"],
    ["prepare"],
    ["convert"],
    ["evaluate"],
    ["predict"],
    ["serve"],
    ["up"],
    ["down"],
    ["status"],
    ["doctor"],
    ["prune"],
    ["backup"],
    ["restore"],
    ["approvals"],
    ["approve"],
    ["reject"],
    ["recognise-batch"],
    ["find-batch"],
    *[["deployments", command] for command in ("apply", "diff", "list")],
    *[["notifications", command] for command in ("list", "test")],
    *[["templates", command] for command in ("list", "show")],
    *[["models", command] for command in ("list", "show", "compare", "history")],
    *[["models", command] for command in ("promote", "rollback")],
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    return tmp_path


@pytest.fixture
def shelf(home: Path) -> Shelf:
    from ocr.models.registry import Registry

    shelf = Shelf(Registry(open_store(str(home / "store"))), home)
    shelf.add("v1", DIGITS)
    shelf.add("v2", LETTERS)
    shelf.registry.promote("bars", "v1", reason="first")
    return shelf


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run([*command, "--help"])

    assert code == 0
    assert "Example: ocrline" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["retrain"], "Missing argument 'preset'"),
        (["serve", "--port", "x"], "Invalid value for '--port'"),
        (["serve", "--port"], "Option '--port' requires an argument; see ocrline serve --help"),
        (
            ["models", "promote", "x"],
            "Missing argument 'version'; see ocrline models promote --help",
        ),
        (["serve", "--engine", "tensorflow"], "Invalid value for '--engine'"),
        (["retrain", "nothing"], "No preset or file 'nothing'"),
        (["retrain", "smoke", "--set", "gate.margn=1"], "did you mean gate.margin?"),
        (["rertain"], "No such command"),
        (["models", "show", "plates"], "Nothing is 'plates'"),
        (["models", "rollback", "plates"], "Nothing is 'plates'"),
        (["models", "promote", "plates", "v1"], "No version 'v1'"),
        (["predict", "none.png", "--model", "bars@"], "as in plates@champion"),
        (["models", "list", "--store", "ftp://x"], "ftp"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(arguments)

    error = capsys.readouterr().err
    assert code == 2
    assert error.startswith("error: ")
    assert said in error
    assert "Traceback" not in error


def test_ctrl_c_says_that_the_work_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.models.app._registry", interrupted)

    code = run(["models", "list"])

    assert code == 130
    assert capsys.readouterr().err == "error: stopped; the same command does what is left\n"


@pytest.mark.parametrize("command", [[], ["models"]], ids=" ".join)
def test_a_bare_command_prints_its_help_and_no_error(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(command)

    said = capsys.readouterr()
    assert code in (0, 2)
    assert "Usage: ocrline" in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "/x"), "PermissionError: [Errno 13]"),
        (filelock.Timeout("/x/lock"), "/x/lock"),
        (psutil.NoSuchProcess(7), "NoSuchProcess"),
        (httpx.ReadTimeout("timed out\nat last"), "ReadTimeout: timed out at last"),
        (ServiceFailed("gateway did not come up"), "gateway did not come up"),
        (MemoryError("Failed to allocate 9 bytes"), "no memory left (Failed to allocate 9 bytes);"),
        (MemoryError(), "no memory left; free some"),
        (RuntimeError("Failed to allocate memory\n for 9 bytes"), "no memory left (Failed to all"),
        (RuntimeError("std::bad_alloc"), "no memory left (std::bad_alloc); free some"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_machine_lacks_is_one_line_and_exit_code_5(
    error: Exception,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("cli.main.app", _raising(error))

    code = run([])

    lines = capsys.readouterr().err.splitlines()
    assert code == 5
    assert len(lines) == 1
    assert said in lines[0]


@pytest.mark.parametrize("error", [KeyError("x\ny"), OcrError("of no kind")], ids=repr)
def test_a_bug_is_one_line_a_trace_and_exit_code_70(
    error: Exception,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("cli.main.app", _raising(error))

    code = run([])

    (line,) = capsys.readouterr().err.splitlines()
    (trace,) = (home / "traces").iterdir()
    assert code == 70
    assert line.startswith(f"error: {type(error).__name__}: ")
    assert line.endswith(f"its trace is in {trace}")
    assert "Traceback" in trace.read_text()


def test_a_trace_that_cannot_be_kept_is_still_one_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "traces").write_text("a file in the way")
    monkeypatch.setattr("cli.main.app", _raising(KeyError("x")))

    code = run([])

    assert code == 70
    assert "its trace could not be kept" in capsys.readouterr().err


def test_models_are_listed_shown_promoted_and_rolled_back(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(*arguments: str) -> object:
        assert run([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    listed = answer("models", "list")
    promoted = answer("models", "promote", "bars", "v2", "--reason", "letters")
    shown = answer("models", "show", "bars")
    back = answer("models", "rollback", "bars")

    assert listed == [
        {
            "name": "bars",
            "task": "recognition",
            "champion": "v1",
            "parts": [],
            "versions": ["v1", "v2"],
        }
    ]
    assert isinstance(promoted, dict)
    assert isinstance(shown, dict)
    assert isinstance(back, dict)
    assert promoted["champion"] == "v2"
    assert shown["model"]["version"] == "v2"
    assert [move["reason"] for move in shown["history"]] == ["first", "letters"]
    assert back["champion"] == "v1"


def test_predict_reads_an_image_and_names_a_bad_one(
    shelf: Shelf, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = home / "good.png", home / "bad.png"
    good.write_bytes(png("2026"))
    bad.write_bytes(b"no image")

    code = run(["predict", str(good), "--model", "bars", "--json"])
    read = json.loads(capsys.readouterr().out)
    bad_code = run(["predict", str(bad), "--model", "bars"])
    error = capsys.readouterr().err

    assert (code, read[0]["text"]) == (0, "2026")
    assert bad_code == 2
    assert "bad.png: not an image" in error


@pytest.mark.parametrize("model", ["bars", "pages:p1"])
def test_predict_does_not_wait_at_a_pipe(
    model: str, shelf: Shelf, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.add_pages("p1", DIGITS)
    pipe = home / "pipe.png"
    os.mkfifo(pipe)

    assert run(["predict", str(pipe), "--model", model]) == 2
    assert f"{pipe} is no plain file" in capsys.readouterr().err


def _raising(error: Exception) -> Callable[..., int]:
    def app(*_: object, **__: object) -> int:
        raise error

    return app


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:abc",
        "ftp://127.0.0.1:8868",
        "http://0.0.0.0:8868",
        "x\ny z",
        "http://bob:hush@127.0.0.1:8868",
    ],
)
def test_up_refuses_an_address_before_it_is_remembered(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["up", "--endpoint", endpoint]) == 2

    assert "hush" not in capsys.readouterr().err
    assert list(tmp_path.rglob("endpoint")) == []


@pytest.mark.parametrize("command", ["status", "doctor", "up"])
def test_keys_in_the_address_of_the_store_end_a_command_before_it_starts_anything(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_STORE", "s3://akey:hush@bucket/x")

    assert run([command]) == 2

    out, error = capsys.readouterr()
    assert "MINIO_SECRET_KEY hold the keys" in error
    assert "hush" not in out + error
    assert list(home.iterdir()) == []
