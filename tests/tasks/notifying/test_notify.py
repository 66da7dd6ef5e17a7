"""Who is told when: once, whatever repeats, and never at the expense of a run."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from ocr.machine.owner import name_user
from ocr.models.registry import Registry
from ocr.store import open_store
from tasks.notifying.examples import example
from tasks.notifying.ledger import claimed
from tasks.notifying.notify import notify
from tests.serving.conftest import Shelf
from tests.serving.tiny_bundle import DIGITS, LETTERS
from tests.tasks.notifying.sinks import Sink, http_sink


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    return tmp_path


def tell_to(home: Path, *sinks: Sink) -> None:
    path = home / "notifications.yaml"
    path.write_text(json.dumps({"targets": [{"url": f"json://{s.address}/"} for s in sinks]}))
    path.chmod(0o600)


def finish() -> None:
    for thread in threading.enumerate():
        if thread.name == "notify":
            thread.join()


def titles(sink: Sink) -> list[Any]:
    return [message["title"] for message in sink.arrived]


def test_the_same_event_is_told_once_and_another_again(home: Path) -> None:
    with http_sink() as sink:
        tell_to(home, sink)
        for id_ in ("1", "1", "2"):
            notify(example("failure", id_=id_))
        finish()

    assert titles(sink) == ["ocrline: Failed: example:9c41"] * 2


def test_an_event_that_its_process_did_not_come_to_tell_is_told_by_the_next(home: Path) -> None:
    with http_sink() as sink:
        tell_to(home, sink)
        with claimed(home, event="test:1", target=f"json://{sink.address}/"):
            notify(example("failure", id_="1"))
            finish()
        heard_meanwhile = titles(sink)

        notify(example("failure", id_="1"))
        finish()

    assert heard_meanwhile == []
    assert titles(sink) == ["ocrline: Failed: example:9c41"]


def test_an_event_whose_process_is_killed_over_it_is_told_once(home: Path) -> None:
    with http_sink(pause_s=2) as sink:
        tell_to(home, sink)
        code = f"from {__name__} import *; notify(example('failure', id_='1'))"
        teller = subprocess.Popen([sys.executable, "-c", code])
        while not sink.arrived:
            time.sleep(0.05)
        teller.kill()
        teller.wait()
        for _ in range(2):  # while it is still being told, and after
            notify(example("failure", id_="1"))
            finish()
            time.sleep(3)

    assert titles(sink) == ["ocrline: Failed: example:9c41"]


def test_a_dead_target_delays_nothing_and_keeps_nobody_else_from_hearing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with http_sink() as sink:
        tell_to(home, Sink("127.0.0.1:9"), sink)
        notify(example("promotion", id_="1"))
        is_under_way = any(thread.name == "notify" for thread in threading.enumerate())
        finish()

    said = capsys.readouterr().err
    assert is_under_way
    assert len(sink.arrived) == 1
    assert said.count("was not told") == 1


def test_a_file_that_cannot_be_used_fails_nothing_and_is_said(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "notifications.yaml").write_text("targets: 7")
    (home / "notifications.yaml").chmod(0o644)

    notify(example("promotion", id_="1"))

    assert "nobody is told" in capsys.readouterr().err


def test_promotion_and_rollback_from_the_terminal_are_told(home: Path) -> None:
    shelf = Shelf(Registry(open_store(str(home / "store"))), home)
    shelf.add("v1", DIGITS)
    shelf.add("v2", LETTERS)
    shelf.registry.promote("bars", "v1", reason="first")
    with http_sink() as sink:
        tell_to(home, sink)
        assert run(["models", "promote", "bars", "v2", "--reason", "letters"]) == 0
        finish()
        assert run(["models", "promote", "bars", "v2"]) == 0  # it is champion already
        assert run(["models", "rollback", "bars", "--reason", "reads 8 as B"]) == 0
        finish()

    assert titles(sink) == ["ocrline: Promoted: bars:v2", "ocrline: Rolled back: bars:v1"]
    assert sink.arrived[1]["message"] == f"Why: reads 8 as B\nWho: {name_user()}"


def test_a_test_message_of_each_kind_arrives_and_the_list_hides_secrets(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with http_sink() as sink:
        tell_to(home, Sink(f"user:pass-word-1@{sink.address}"))
        code = run(["notifications", "test", "--event", "hold"])
        listed = run(["notifications", "list"])

    assert (code, listed) == (0, 0)
    assert titles(sink) == ["ocrline: Held: example:9c41"]
    assert "pass-word-1" not in capsys.readouterr().out


def test_a_test_message_that_does_not_arrive_is_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell_to(home, Sink("127.0.0.1:9"))

    code = run(["notifications", "test", "--event", "hold"])

    said = capsys.readouterr()
    assert code == 5
    assert "was not told" in said.err
    assert said.out == "hold: 0 of 1 targets told\n"


def test_all_are_told_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that one that hangs for its minute keeps nobody from being told."""
    together = threading.Barrier(3)

    def meet(*_: object) -> None:
        together.wait(timeout=60)

    monkeypatch.setattr("tasks.notifying.notify.deliver_apart", meet)
    with http_sink() as one, http_sink() as two, http_sink() as three:
        tell_to(home, one, two, three)
        notify(example("failure", id_="1"))
        finish()

    assert not together.broken


def test_what_is_said_after_the_end_of_a_run_goes_to_the_terminal_alone() -> None:
    said_late = """
import threading
from tasks.run import narration
narration.get_run_logger = lambda: print("the closed log was asked")
def say():
    threading.main_thread().join()
    narration.narrate("notify", "nobody was told")
threading.Thread(target=say).start()
"""
    done = subprocess.run(
        [sys.executable, "-c", said_late], capture_output=True, text=True, check=True
    )

    assert (done.stdout, done.stderr.split()) == ("", ["notify", "nobody", "was", "told"])
