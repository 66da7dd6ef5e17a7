"""Runs a job in a process or a container; task and job meet at job.json and result.json."""

import json
import math
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from pydantic import ValidationError

from configs.jobs import ExportJob, ExportResult, TrainJob, TrainResult
from configs.paddleocr import TrainingField
from ocr.errors import BadData, BadInput, OcrError, ParityFailed, StoreUnavailable, TrainingFailed
from ocr.machine.failures import explain_status, read_tail, recognise
from ocr.machine.usage import Usage, UsageMeter, read_usage
from ocr.store.whole import written_whole
from tasks.run.container import JobContainer
from tasks.run.failure import tell_failure
from tasks.run.process import JobProcess
from tasks.run.together import is_ended
from tasks.run.wording import in_words_of

Result = TypeVar("Result", TrainResult, ExportResult)
Job = TrainJob | ExportJob
Event = dict[str, Any]

ERRORS: dict[int, type[OcrError]] = {
    error.exit_code: error
    for error in (BadInput, BadData, TrainingFailed, StoreUnavailable, ParityFailed)
}
POLL_S = 0.5
HOUR_S = 3600
RESULT = "result.json"
USAGE = "usage.json"
"""What a job took; beside a checkpoint, what was expected of it as well."""


class JobDied(OcrError, RuntimeError):
    """A job that ended without a result for a reason of its machine; a retry continues it."""

    exit_code = 5


class JobEnded(OcrError, RuntimeError):
    """A job that was ended because its run failed or was stopped elsewhere; nothing to retry."""

    exit_code = 5


class OutOfTime(TrainingFailed):
    """A training that was ended because its time was over; its checkpoint is kept."""


class Runtime(Protocol):
    """What a job runs in."""

    def start(
        self, kind: str, folder: Path, *, out: IO[bytes], err: IO[bytes], inherit: Sequence[int]
    ) -> "subprocess.Popen[bytes]":
        """Start the job of a folder; the process lives as long as the job, with its status.

        It keeps descriptors open meanwhile, and ends the job when it or this process dies.
        """

    def find_job(self, process: "subprocess.Popen[bytes]") -> int:
        """Return the id of its first process on this machine; 0: not known yet."""

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        """End the job, with time to keep its work, and leave nothing of it running."""

    def explain(self, status: int, said: str) -> OcrError | None:
        """Say more of an end than a status and the last words do; None: nothing is known."""


def run_job(
    job: Job,
    *,
    folder: Path,
    result_type: type[Result],
    on_event: Callable[[Event], None],
    inherit: Sequence[int] = (),
    field: TrainingField = "training",
) -> Result:
    """Run one job in its folder, or return the result it already left there.

    Args:
        job: The validated job; written to ``folder/job.json``.
        folder: The job's own folder; a rerun in it continues where the last one stopped.
        result_type: Model of the result.
        on_event: Called with each line the job adds to ``metrics.jsonl``.
        inherit: Descriptors that stay open while the job lives, such as that of a lock.
        field: Where its user stated the training, for errors.

    Raises:
        BadInput, BadData, TrainingFailed, ParityFailed: As the exit code says; no result is there.
        OutOfTime: It ran for `resources.time_limit_h`; a rerun has that long again.
        JobDied: It was killed or left no valid result.
        JobEnded: Another task of this run failed, or the run was stopped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / RESULT
    if not result.exists():
        (folder / "job.json").write_text(job.model_dump_json(indent=2), encoding="utf-8")
        _run(job, folder, on_event, inherit, field)
    try:
        return result_type.model_validate_json(result.read_bytes())
    except (FileNotFoundError, ValidationError) as error:
        result.unlink(missing_ok=True)  # the next try must not meet it again
        raise JobDied(f"{job.kind} job left no valid {result}: {error}") from None


def _run(
    job: Job,
    folder: Path,
    on_event: Callable[[Event], None],
    inherit: Sequence[int],
    field: TrainingField,
) -> None:
    kind, hours = job.kind, job.resources.time_limit_h if isinstance(job, TrainJob) else 0
    runtime = JobContainer(job) if job.resources.runtime == "container" else JobProcess()
    errors = folder / "stderr.txt"
    deadline = time.monotonic() + hours * HOUR_S if hours else math.inf
    with (folder / "stdout.txt").open("ab") as out, errors.open("wb") as err:
        process = runtime.start(kind, folder, out=out, err=err, inherit=inherit)
        meter = UsageMeter(lambda: runtime.find_job(process), on_gpus=job.resources.device == "gpu")
        try:
            in_time = _watch(
                process, folder / "metrics.jsonl", on_event, meter=meter, deadline=deadline
            )
        finally:
            runtime.end(process)
    _keep(meter.usage, folder / USAGE)
    if is_ended():
        raise JobEnded(f"{kind} job was ended; the same command continues where it was")
    if process.returncode != 0 and not (folder / RESULT).exists():  # which decides
        found = (
            _error(runtime, kind, process.returncode, errors)
            if in_time
            else _out_of_time(kind, hours)
        )
        error = type(found)(in_words_of(field, str(found)))
        tell_failure(kind, error, folder)
        raise error


def _keep(usage: Usage, path: Path) -> None:
    """Write what a job took, with what it took before it was run again to go on."""
    earlier = read_usage(path)
    with written_whole(path) as content:
        content.write(json.dumps(asdict(earlier | usage if earlier else usage)).encode())


def _watch(
    process: subprocess.Popen[bytes],
    metrics: Path,
    on_event: Callable[[Event], None],
    *,
    meter: UsageMeter,
    deadline: float,
) -> bool:
    """Pass on what it tells until it ended or must; return whether that was before the deadline."""
    events = _follow(metrics)
    while process.poll() is None and not is_ended() and time.monotonic() < deadline:
        meter.look()
        for event in events():
            on_event(event)
        time.sleep(POLL_S)
    in_time = process.poll() is not None or time.monotonic() < deadline
    for event in events():
        on_event(event)
    return in_time


def _follow(path: Path) -> Callable[[], Iterator[Event]]:
    """Return what yields the events added since its last call, each once."""
    file, position, seen = 0, 0, -1
    earlier = path.stat().st_ino if path.exists() else 0  # of a try before, until it is replaced

    def read_new() -> Iterator[Event]:
        nonlocal file, position, seen
        if not path.exists():
            return
        replayed_to = -1
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_ino != file:
                # A continued run replaces the file by one without the lines after its checkpoint.
                file, position, replayed_to = os.fstat(stream.fileno()).st_ino, 0, seen
            stream.seek(position)
            for line in stream:
                if not line.endswith(b"\n"):
                    return
                position += len(line)
                event = json.loads(line)
                seen = max(seen, event["step"])
                is_resumed = event.get("event") == "resumed"
                if file != earlier if is_resumed else event["step"] > replayed_to:
                    yield event

    return read_new


def _out_of_time(kind: str, hours: float) -> OutOfTime:
    return OutOfTime(
        f"{kind} job was ended after {hours:g} h (resources.time_limit_h); the same command goes "
        "on from its last checkpoint"
    )


def _error(runtime: Runtime, kind: str, code: int, errors: Path) -> OcrError:
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    ours = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    message = (ours or lines or ["it said nothing"])[-1]
    known_end = runtime.explain(code, message)
    if known_end is not None:
        return known_end
    if code in ERRORS:
        return ERRORS[code](message)
    known = None if ours else recognise(read_tail(errors))
    if known is not None and not known.passes:
        return TrainingFailed(str(known.error()))
    said = [f"{kind} job ended with status {code}: {message}", explain_status(code)]
    said += [str(known.error())] if known else []
    return JobDied("; ".join(filter(None, [*said, f"all it said: {errors}"])))
