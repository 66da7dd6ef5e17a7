"""A project of pages as a user runs it: two trainings at once, one pipeline online."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from ocr.models.golden import read_golden_pages
from tests.end_to_end.conftest import Finished, Machine, new_machine

pytestmark = pytest.mark.timeout(900)  # the first run trains two nets

# Every change of a parameter makes other checkpoints, so that what ran before is not found.
FRESH = ("detector.seed=7", "recogniser.seed=7")


@pytest.fixture(scope="module")
def fresh_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine on which nothing has run yet."""
    with new_machine(tmp_path_factory.mktemp("pages"), preset="smoke-pages") as machine:
        yield machine


@pytest.fixture(scope="module")
def first(fresh_pages: Machine) -> Finished:
    """The first run, whose pipeline becomes the champion."""
    finished = fresh_pages.retrain()
    assert finished.code == 0, finished.err
    return finished


@pytest.fixture(scope="module")
def pages(fresh_pages: Machine, first: Finished) -> Machine:
    """The machine after its first run, which every test leaves as it was."""
    return fresh_pages


def test_first_run_promotes_and_serves_both_nets_as_one(pages: Machine, first: Finished) -> None:
    listed = {row["name"]: row for row in pages.run("models", "list", "--json").json}

    assert first.json["verdict"] == "promote"
    assert "<html" in Path(first.json["report"]).read_text()[:200]
    assert pages.served() == pages.champion() == first.version
    assert [row["champion"] for row in listed.values() if row["task"] != "pipeline"] == [None, None]
    assert [part.partition(":")[0] for part in listed["smoke-pages"]["parts"]] == [
        "smoke-pages-detector",
        "smoke-pages-recogniser",
    ]


def test_a_page_is_read_over_rest_as_it_was_exported(pages: Machine) -> None:
    golden = read_golden_pages(pages.golden().parent)[0]

    answer = httpx.post(
        f"{pages.endpoint}/v1/ocr",
        params={"model": "smoke-pages"},
        content=golden.image.read_bytes(),
        headers={"content-type": "image/png"},
        timeout=60,
    ).raise_for_status()

    assert golden.lines
    read = [line["text"] for line in answer.json()["pages"][0]["lines"]]
    assert read == [line.text for line in golden.lines]


def test_predict_prints_what_the_gateway_reads(pages: Machine) -> None:
    golden = read_golden_pages(pages.golden().parent)[0]

    read = pages.run("predict", str(golden.image))

    assert read.out.splitlines() == [line.text for line in golden.lines]


def test_second_run_finds_every_stage_and_trains_nothing(pages: Machine) -> None:
    before = pages.stored("checkpoints")

    again = pages.retrain()

    assert again.code == 0, again.err
    assert again.err.count("    train  found") == 2
    assert again.err.count("   export  found") == 3
    for stage in ("prepare", "evaluate"):
        assert f"{stage:>9}  found" in again.err
    assert pages.stored("checkpoints") == before


def test_an_error_of_one_training_ends_the_other_at_once(pages: Machine) -> None:
    failed = pages.retrain(*FRESH, "detector.amp=O1")

    assert failed.code == 2
    assert "detector.amp: O1 needs resources.device: gpu" in failed.err
    assert _trainings(pages) == []


@pytest.mark.usefixtures("hears_interrupts")
@pytest.mark.parametrize(
    "ending",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL],
)
def test_a_run_that_is_ended_leaves_no_training_behind(
    pages: Machine, ending: signal.Signals
) -> None:
    process = pages.start("retrain", pages.preset, *pages.sets(*FRESH))
    _wait_for_both_trainings(pages, process)

    if ending is signal.SIGINT:  # as a terminal sends it: to everyone
        os.killpg(process.pid, ending)
    else:
        process.send_signal(ending)
    _, said = process.communicate(timeout=300)

    _wait_until_none_is_left(pages)
    assert process.returncode != 0
    if ending is signal.SIGINT:
        assert process.returncode == 130
        assert said.endswith("error: stopped; the same command does what is left\n")


@pytest.mark.usefixtures("hears_interrupts")
def test_an_ended_run_continues_both_trainings_where_they_were(pages: Machine) -> None:
    short = ("detector.epochs=2", "recogniser.epochs=4")
    often = ("detector.checkpoint_every_s=0.5", "recogniser.checkpoint_every_s=0.5")
    changes = (*FRESH, *short, *often)
    process = pages.start("retrain", pages.preset, *pages.sets(*changes))
    kept = _wait_for_kept_steps(pages.home)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    _wait_until_none_is_left(pages)

    again = pages.run("retrain", pages.preset, "--until", "train", "--json", *pages.sets(*changes))

    assert again.code == 0, again.err
    checkpoints = [pages.home / "store" / part["key"] for part in again.json]
    rows = [(folder / "metrics.jsonl").read_bytes() for folder in checkpoints]
    assert all(any(row.startswith(known) for row in rows) for known in kept)


def _trainings(machine: Machine) -> list[int]:
    """Return the ids of the processes that work in a machine's job folders."""
    mark = str(machine.home / "jobs")
    found = psutil.process_iter(["cmdline"])
    return [p.pid for p in found if any(mark in part for part in p.info["cmdline"] or ())]


def _wait_for_both_trainings(machine: Machine, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 120
    while len(_trainings(machine)) < 2:
        if time.monotonic() > deadline or process.poll() is not None:
            pytest.fail(f"no two trainings: {process.communicate()}")
        time.sleep(0.05)


def _wait_until_none_is_left(machine: Machine) -> None:
    deadline = time.monotonic() + 60
    while _trainings(machine):
        if time.monotonic() > deadline:
            pytest.fail(f"still there: {_trainings(machine)}")
        time.sleep(0.1)


def _wait_for_kept_steps(home: Path) -> list[bytes]:
    """Wait for a kept state of both trainings; return the first line of each one's metrics."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        folders = {state.parents[1] for state in home.glob("jobs/train-*/state/0*")}
        firsts = [(folder / "metrics.jsonl").read_bytes().partition(b"\n")[0] for folder in folders]
        if len(firsts) == 2:
            return firsts
        time.sleep(0.05)
    return pytest.fail("the trainings kept no state")
