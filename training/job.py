"""A job's folder: job.json in, result.json out, and the names of what lies beside them."""

import os
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from configs.jobs import TrainJob, what_decides
from configs.presets import describe
from configs.settings import Settings
from ocr.errors import BadInput
from ocr.store import S3Credentials, open_store
from ocr.store.digest import stage_key
from ocr.store.folder import download_folder
from ocr.store.whole import written_whole

SNAPSHOT = "snapshot"
"""Local copy of the snapshot."""
CHECKPOINT = "checkpoint"
RESULT = "result.json"
DIGEST = "digest"
"""Of the job whose work lies in the folder."""

Job = TypeVar("Job", bound=BaseModel)


def read_job(path: Path, kind: type[Job]) -> Job:
    """Read and validate a job.

    Raises:
        BadInput: It is missing, no JSON, or a key is unknown, missing or out of range.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"Cannot read the job {path}: {error}") from error
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        faults = "; ".join(describe(item) for item in error.errors())
        raise BadInput(f"{path}: {faults}") from None


def fetch_snapshot(job: TrainJob, folder: Path) -> None:
    """Copy the snapshot beside the job, once; only this process needs the store's keys."""
    store = open_store(job.store, s3=S3Credentials.of(Settings()))
    download_folder(store, prefix=job.snapshot, folder=folder / SNAPSHOT)


def job_digest(job: TrainJob) -> str:
    """Return the key of what is learnt, wherever it lies and however it is kept."""
    return stage_key(job.kind, **what_decides(job))


def claim_folder(folder: Path, job: TrainJob) -> None:
    """Note whose work lies in a folder from now on.

    Raises:
        BadInput: That of another job does.
    """
    path, own = folder / DIGEST, job_digest(job)
    if not path.is_file():
        with written_whole(path) as content:
            content.write(own.encode())
    elif path.read_text(encoding="utf-8") != own:
        raise BadInput(f"{folder} holds the work of another job; use a new folder")


def write_result(folder: Path, result: BaseModel) -> None:
    """Write result.json, all or nothing."""
    part = folder / f"{RESULT}.part"
    part.write_text(result.model_dump_json(indent=1), encoding="utf-8")
    os.replace(part, folder / RESULT)  # noqa: PTH105


def read_result(folder: Path, kind: type[Job]) -> Job | None:
    """Return the result of an earlier run; None when there is none."""
    path = folder / RESULT
    return kind.model_validate_json(path.read_bytes()) if path.is_file() else None
