"""Delivery to targets that answer and never end."""

import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.notifying.apart import deliver_apart
from tasks.notifying.delivery import ENDLESS
from tasks.notifying.examples import example
from tasks.notifying.ledger import claimed
from tasks.notifying.targets import Target
from tests.tasks.notifying.sinks import Sink, endless_sink, http_sink

PROMOTION = example("promotion", id_="1")
OK = b"HTTP/1.1 200 OK\r\n"
LOADS_BEFOREHAND = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "apprise.plugins.custom_json" and any(signal.getitimer(signal.ITIMER_REAL)):
            os._exit(9)

sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def entry(tmp_path: Path) -> Iterator[int]:
    with claimed(tmp_path, event="promotion", target="team") as entry:
        assert entry is not None
        yield entry


def target(sink: Sink) -> Target:
    url = f"json://user:pass-word-1@{sink.address}/"
    return Target(name="team", url=url, events=(), models=())


def test_a_message_arrives(entry: int) -> None:
    with http_sink() as sink:
        undelivered = deliver_apart(PROMOTION, target(sink), entry)

    assert undelivered is None
    assert [each["title"] for each in sink.arrived] == [PROMOTION.title]


def test_why_it_did_not_arrive_is_told_without_secrets(entry: int) -> None:
    with http_sink(status=400) as sink:
        undelivered = deliver_apart(PROMOTION, target(sink), entry)

    assert undelivered is not None
    assert "400" in undelivered.why
    assert "pass-word-1" not in undelivered.why


@pytest.mark.parametrize("start", [OK, OK + b"Content-Length: 100000\r\n\r\n"])
def test_an_answer_that_comes_byte_by_byte_is_given_up_and_nothing_sent_again(
    start: bytes, entry: int
) -> None:
    with endless_sink(start=start, piece=b"x", pause_s=0.5) as sink:
        undelivered = deliver_apart(PROMOTION, target(sink), entry, most_s=8)

    assert undelivered is not None
    assert undelivered.why == "its answer had no end within 8 s"
    assert len(sink.arrived) == 1


def test_what_loading_takes_is_no_time_of_the_target(
    entry: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(LOADS_BEFOREHAND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with http_sink() as sink:
        undelivered = deliver_apart(PROMOTION, target(sink), entry)

    assert undelivered is None
    assert len(sink.arrived) == 1


def test_an_answer_without_end_does_not_fill_the_memory_and_nothing_is_sent_again(
    entry: int,
) -> None:
    with endless_sink(start=OK + b"\r\n", piece=bytes(1 << 20), pause_s=0) as sink:
        undelivered = deliver_apart(PROMOTION, target(sink), entry)

    assert undelivered is not None
    assert undelivered.why == ENDLESS
    assert len(sink.arrived) == 1


def test_what_is_given_up_is_told_also_where_nobody_waits_for_it(tmp_path: Path) -> None:
    with (
        endless_sink(start=OK, piece=b"x", pause_s=0.5) as sink,
        claimed(tmp_path, event="promotion", target="team") as entry,
    ):
        assert entry is not None
        ended = subprocess.run(
            [sys.executable, "-m", "tasks.notifying.apart"],
            input=pickle.dumps((PROMOTION, target(sink), entry, 4)),
            pass_fds=[entry],
            check=False,
        )

    with claimed(tmp_path, event="promotion", target="team") as again:
        assert again is None
    assert ended.returncode == -signal.SIGALRM
