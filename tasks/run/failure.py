"""What a person sees of a job that failed: an artifact with the reason and the end of its logs."""

from pathlib import Path

import httpx
from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext
from prefect.exceptions import PrefectException

from ocr.errors import OcrError
from ocr.machine.failures import read_tail
from tasks.run.narration import narrate

LOGS = ("stderr.txt", "ranks/workerlog.*", "*.log")
SHOWN_BYTES = 3000


def tell_failure(kind: str, error: OcrError, folder: Path) -> None:
    """Keep why a job failed with its run, beside the end of what the job said.

    Args:
        kind: Kind of the job.
        error: What it failed of, and what to change.
        folder: The job's folder, which another run may empty.
    """
    if TaskRunContext.get() is None:
        return
    try:
        create_markdown_artifact(describe_failure(kind, error, folder), key=f"{kind}-failure")
    except (httpx.HTTPError, PrefectException) as lost:  # the error itself counts
        narrate("failed", f"no artifact in the Prefect UI: {lost}")


def describe_failure(kind: str, error: OcrError, folder: Path) -> str:
    """Write the reason in Markdown, and under it the end of each log that says something."""
    reason, *advice = str(error).split("; ")
    parts = [f"# The job {kind} failed", reason, *(f"- {each}" for each in advice)]
    for log in sorted(path for pattern in LOGS for path in folder.glob(pattern)):
        said = read_tail(log, size=SHOWN_BYTES).strip().replace("```", "` ` `")
        if said:
            parts += [f"The end of {log.relative_to(folder)}:", f"```text\n{said}\n```"]
    return "\n\n".join(parts)
