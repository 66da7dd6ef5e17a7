"""Jobs as real processes: what each exit means to the task."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import psutil
import pytest

from configs.jobs import TrainRecogniserJob, TrainResult
from configs.paddleocr import TrainingField
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.errors import (
    ArtifactNotFound,
    BadData,
    BadInput,
    OcrError,
    ParityFailed,
    StoreUnavailable,
    TrainingFailed,
)
from ocr.machine.usage import Usage, read_usage
from tasks.run.jobs import USAGE, JobDied, JobEnded, OutOfTime, _follow, run_job

RESULT = TrainResult(
    kind="train-recogniser", checkpoint="checkpoint", metrics={}, timings={}, environment={}
)
WRITE_RESULT = f'echo \'{RESULT.model_dump_json()}\' > "$(dirname "$4")/result.json"'

RunAs = Callable[[str], None]


def job(store: Path, *, time_limit_h: float = 0) -> TrainRecogniserJob:
    return TrainRecogniserJob(
        store=str(store),
        snapshot="datasets/none/0",
        training=RecogniserTrainingParams(),
        resources=ResourceParams(time_limit_h=time_limit_h),
    )


def run(
    folder: Path,
    *,
    on_event: Callable[[dict[str, Any]], None] = lambda _: None,
    time_limit_h: float = 0,
    field: TrainingField = "training",
) -> TrainResult:
    return run_job(
        job(folder / "store", time_limit_h=time_limit_h),
        folder=folder,
        result_type=TrainResult,
        on_event=on_event,
        field=field,
    )


@pytest.fixture
def run_as(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> RunAs:
    """Let jobs be a shell script instead of Python; its fourth argument is job.json."""
    program = tmp_path_factory.mktemp("bin") / "python"

    def use(script: str) -> None:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))

    return use


def test_a_result_that_is_there_is_taken_without_running(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(RESULT.model_dump_json())

    assert run(tmp_path) == RESULT


def test_an_error_of_the_job_arrives_with_its_message(tmp_path: Path) -> None:
    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run(tmp_path)


@pytest.mark.parametrize(
    ("code", "error"),
    [(2, BadInput), (3, BadData), (4, TrainingFailed), (5, StoreUnavailable), (6, ParityFailed)],
)
def test_exit_code_names_the_error(
    tmp_path: Path, run_as: RunAs, code: int, error: type[OcrError]
) -> None:
    run_as(f"echo 'a warning' >&2; echo 'error: what it says' >&2; echo later >&2; exit {code}")

    with pytest.raises(error, match=r"^what it says$"):
        run(tmp_path)


@pytest.mark.parametrize("field", get_args(TrainingField))
def test_an_error_names_parameters_as_the_form_does(
    tmp_path: Path, run_as: RunAs, field: TrainingField
) -> None:
    path = "/data/training.net/my-training.epochs, training.log"
    run_as(f"echo 'error: lower training.batch_size ({path})' >&2; exit 2")

    with pytest.raises(BadInput) as failed:
        run(tmp_path, field=field)

    assert str(failed.value) == f"lower {field}.batch_size ({path})"


def test_advice_on_a_failure_of_the_machine_names_parameters_as_the_form_does(
    tmp_path: Path, run_as: RunAs
) -> None:
    run_as("echo 'ERROR: Unexpected BUS error encountered in DataLoader worker.' >&2; kill -7 $$")

    with pytest.raises(TrainingFailed, match=r"or detector\.batch_size"):
        run(tmp_path, field="detector")


@pytest.mark.parametrize(
    ("end", "status"), [("kill -9 $$", "-9"), ("kill -15 $$", "-15"), ("exit 1", "1")]
)
def test_job_that_was_killed_or_crashed_died(
    tmp_path: Path, run_as: RunAs, end: str, status: str
) -> None:
    run_as(f"echo 'last words' >&2; {end}")

    with pytest.raises(JobDied, match=f"status {status}: last words; .*stderr.txt"):
        run(tmp_path)


def test_a_job_that_the_kernel_killed_says_where_to_look(tmp_path: Path, run_as: RunAs) -> None:
    run_as("kill -9 $$")

    with pytest.raises(JobDied, match=r"status -9: it said nothing; killed, .*dmesg"):
        run(tmp_path)


def test_the_last_words_of_a_loading_process_are_explained(tmp_path: Path, run_as: RunAs) -> None:
    run_as("echo 'ERROR: Unexpected BUS error encountered in DataLoader worker.' >&2; kill -7 $$")

    with pytest.raises(TrainingFailed, match=r"Bus error: /dev/shm.*--shm-size 8g"):
        run(tmp_path)


@pytest.mark.parametrize("end", ["exit 0", 'echo {} > "$(dirname "$4")/result.json"; exit 3'])
def test_job_that_leaves_no_valid_result_died(tmp_path: Path, run_as: RunAs, end: str) -> None:
    run_as(end)

    with pytest.raises(JobDied, match="left no valid"):
        run(tmp_path)


def test_a_job_that_fails_after_its_result_fails_nothing(tmp_path: Path, run_as: RunAs) -> None:
    run_as(f"{WRITE_RESULT}; exit 1")

    assert run(tmp_path) == RESULT


def test_a_half_written_result_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"kind": "train-recogniser"')

    with pytest.raises(JobDied, match="left no valid"):
        run(tmp_path)


def test_the_try_after_an_invalid_result_runs(tmp_path: Path, run_as: RunAs) -> None:
    (tmp_path / "result.json").write_text('{"kind": "train-recogniser"')
    run_as(WRITE_RESULT)
    with pytest.raises(JobDied):
        run(tmp_path)

    assert run(tmp_path) == RESULT


def test_the_job_that_was_asked_for_is_kept(tmp_path: Path) -> None:
    with pytest.raises((BadInput, ArtifactNotFound)):
        run(tmp_path)

    kept = json.loads((tmp_path / "job.json").read_text())
    assert kept["snapshot"] == "datasets/none/0"


def test_events_of_the_job_arrive_in_order(tmp_path: Path, run_as: RunAs) -> None:
    rows = "".join(f'{{"step": {step}}}\\n' for step in range(3))
    run_as(f'printf \'{rows}\' > "$(dirname "$4")/metrics.jsonl"; {WRITE_RESULT}')
    events: list[dict[str, Any]] = []

    run(tmp_path, on_event=events.append)

    assert events == [{"step": 0}, {"step": 1}, {"step": 2}]


def test_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    read_new = _follow(path)
    before = list(read_new())
    path.write_bytes(b'{"step": 1}\n{"st')
    half = list(read_new())
    with path.open("ab") as stream:
        stream.write(b'ep": 2}\n')

    rest = list(read_new())

    assert (before, half, rest) == ([], [{"step": 1}], [{"step": 2}])
    assert list(read_new()) == []


def test_replaced_file_tells_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    resumed = b'{"event": "resumed", "step": 1}\n'  # of a try before
    path.write_bytes(b'{"step": 1}\n' + resumed + b'{"step": 2}\n{"step": 3}\n')
    read_new = _follow(path)
    first = [event["step"] for event in read_new()]
    (tmp_path / "part").write_bytes(b'{"step": 1}\n' + resumed)
    (tmp_path / "part").replace(path)
    again = list(read_new())
    with path.open("ab") as stream:
        stream.write(b'{"step": 4}\n')

    rest = [event["step"] for event in read_new()]

    assert (first, again, rest) == ([1, 2, 3], [{"event": "resumed", "step": 1}], [4])


def test_job_of_a_run_that_failed_elsewhere_is_ended(
    tmp_path: Path, run_as: RunAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_as(f"echo $$ > {tmp_path}/pid; trap 'exit 130' TERM; sleep 600 & wait")
    monkeypatch.setattr("tasks.run.jobs.is_ended", (tmp_path / "pid").exists)

    with pytest.raises(JobEnded, match="continues where it was"):
        run(tmp_path)

    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def end_when_begun(folder: Path) -> TrainResult:
    """Run what touches `began`, and end its time then, however slow its start."""
    (folder / "metrics.jsonl").write_text('{"step": 0}\n')

    def wait(_: object) -> None:
        while not (folder / "began").exists():
            time.sleep(0.01)

    return run(folder, time_limit_h=1e-9, on_event=wait)


def test_a_job_over_its_time_is_asked_to_stop_and_says_how_to_go_on(
    tmp_path: Path, run_as: RunAs
) -> None:
    run_as(f"cd {tmp_path}; trap 'touch kept; exit 143' TERM; touch began; sleep 600 & wait")

    with pytest.raises(OutOfTime, match=r"time_limit_h.*same command goes on") as ended:
        end_when_begun(tmp_path)

    assert (tmp_path / "kept").exists()
    assert ended.value.exit_code == 4  # which no task tries again


@pytest.mark.parametrize("status", [0, 143])
def test_a_result_counts_when_time_is_over(tmp_path: Path, run_as: RunAs, status: int) -> None:
    (tmp_path / "done.json").write_text(RESULT.model_dump_json())
    end = f"cp done.json result.json; exit {status}"
    run_as(f"cd {tmp_path}; trap '{end}' TERM; touch began; sleep 600 & wait")

    assert end_when_begun(tmp_path) == RESULT


def test_a_job_that_fails_within_its_time_says_what_failed(tmp_path: Path, run_as: RunAs) -> None:
    run_as("echo 'error: what it says' >&2; exit 3")

    with pytest.raises(BadData, match="what it says"):
        run(tmp_path, time_limit_h=1)


def test_what_a_job_takes_is_kept_beside_it(
    tmp_path: Path, run_as: RunAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ocr.machine.usage.SAMPLE_S", 0)  # a process may begin without a byte
    run_as(f"sleep 2; {WRITE_RESULT}")

    run(tmp_path)

    took = json.loads((tmp_path / USAGE).read_bytes())
    assert min(took["peak_memory_mib"], took["seconds"]) > 0


def test_what_a_job_took_before_it_went_on_counts(tmp_path: Path, run_as: RunAs) -> None:
    run_as(f"sleep 0.2; {WRITE_RESULT}")  # kept to a tenth of a second
    before = Usage(1e6, 7, 0, 1000)
    (tmp_path / USAGE).write_text(json.dumps(asdict(before)))

    run(tmp_path)

    took = read_usage(tmp_path / USAGE)
    assert took is not None
    assert (took.peak_memory_mib, took.peak_shared_memory_mib) == (1e6, 7)
    assert took.seconds > 1000
