"""``ocrline find-batch``: trainings of a few steps, and what they leave."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from tasks.measuring.batch import Seen, Watch

FEW = ("dataset.synthesis.count=60",)
TINY = (*FEW, "training.size=small", "training.batch_size=4")


def asked(*settings: str) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    return tmp_path


def test_a_real_net_is_measured_and_nothing_is_left(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tasks.measuring.batch.LEAST_S", 0.0)
    monkeypatch.setattr("ocr.machine.planning.batch.LEAST_GAIN", 1e9)  # two are enough

    code = run(["find-batch", "smoke", "--json", *asked(*TINY)])

    (found,) = json.loads(capsys.readouterr().out)
    probes = found["report"]["probes"]
    assert code == 0
    assert [probe["batch_size"] for probe in probes] == [1, 2]
    assert all(probe["images_per_s"] > 0 and probe["peak_memory_mib"] > 100 for probe in probes)
    assert found["settings"] == ["training.batch_size=1"]
    assert list((home / "jobs").iterdir()) == []
    assert not (home / "store" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("resources.runtime=container", "resources.image=a:b"), "container is not measured; find"),
        (("resources.nodes=2", "resources.rendezvous=a:6170"), "resources.nodes: 2 would wait for"),
    ],
)
def test_what_it_cannot_see_is_refused_first(
    home: Path, capsys: pytest.CaptureFixture[str], settings: tuple[str, ...], said: str
) -> None:
    code = run(["find-batch", "smoke", *asked(*settings)])

    assert code == 2
    assert said in capsys.readouterr().err
    assert not list(home.iterdir())


def test_what_the_kernel_kills_does_not_fit(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kill_above(home, 2, monkeypatch)

    code = run(["find-batch", "smoke", *asked(*FEW, "training.batch_size=16")])

    said = capsys.readouterr()
    assert code == 0
    assert "batch 4: does not fit" in said.err
    assert "; 4 does not" in said.out
    assert "--set training.batch_size=2" in said.out
    assert list((home / "jobs").iterdir()) == []


def test_nothing_that_fits_is_said_and_is_no_success(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kill_above(home, 0, monkeypatch)

    code = run(["find-batch", "smoke", *asked(*FEW, "training.batch_size=4")])

    assert code == 4
    assert "none fits: 1 does not fit into" in capsys.readouterr().out


def test_a_failure_of_another_kind_is_an_error(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(home, "echo 'error: the loss is nan' >&2; exit 4", monkeypatch)

    code = run(["find-batch", "smoke", *asked(*FEW)])

    assert code == 4
    assert "the loss is nan" in capsys.readouterr().err
    assert list((home / "jobs").iterdir()) == []


def test_a_project_of_lines_has_no_detector(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["find-batch", "smoke", "--net", "detector"])

    assert code == 2
    assert "smoke is a project of lines" in capsys.readouterr().err


def kill_above(home: Path, batch_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let trainings with a larger batch be killed, and others report some steps."""
    events: list[dict[str, Any]] = [
        {"event": "step", "step": step, "images_per_s": 1.0} for step in (1, 9)
    ]
    steps = "\\n".join(json.dumps(event) for event in events)
    program(
        home,
        'batch=$(sed -n \'s/.*"batch_size": \\([0-9]*\\).*/\\1/p\' "$4")\n'
        f"[ $batch -gt {batch_size} ] && kill -9 $$\n"
        f'printf \'{steps}\\n\' > "$(dirname "$4")/metrics.jsonl"; exec sleep 60',
        monkeypatch,
    )


def program(home: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs be a shell script; its fourth argument is job.json."""
    path = home / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setattr("tasks.run.process.sys.executable", str(path))


def test_what_a_run_does_once_is_no_part_of_its_speed() -> None:
    watch = Watch(batch_size=8)
    for step, images_per_s in enumerate((1, 200, 2, 200, 190), start=1):
        with suppress(Seen):
            watch.note({"event": "step", "step": 2 * step, "images_per_s": images_per_s})

    assert watch.images_per_s == 195
