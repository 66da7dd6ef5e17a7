"""How far a batch is: a bar in the terminal, a progress artifact in the Prefect UI."""

from typing import cast
from uuid import UUID

import httpx
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import TaskRunContext
from prefect.exceptions import PrefectException
from rich.progress import TaskID

from ocr.batch.batch import Progress
from tasks.run.narration import narrate
from tasks.run.progress import BARS


class BatchProgress:
    """Shows how far a batch is while it is read, on a bar of the terminal."""

    def __init__(self, bar: TaskID) -> None:
        self._bar = bar
        self._artifact: UUID | None = None
        if TaskRunContext.get() is not None:
            created = create_progress_artifact(0.0, key="batch-progress", description="listing")
            self._artifact = cast(UUID, created)  # a coroutine only inside an event loop
        self._shown = 0.0

    def update(self, progress: Progress) -> None:
        """Show a batch of which more shards are done."""
        percent = 100.0 * progress.done / progress.shards
        counts = progress.counts
        figures = f"shards, {counts.pages} pages, {counts.lines} lines"
        BARS.show(self._bar, steps=progress.shards, done=progress.done, figures=figures)
        if self._artifact is None or (percent < 100 and percent - self._shown < 1):
            return
        self._shown = percent
        said = (
            f"{progress.done} of {progress.shards} shards: {counts.pages} pages, "
            f"{counts.lines} lines, {counts.quarantined} files quarantined"
        )
        try:
            update_progress_artifact(self._artifact, progress=percent, description=said)
        except (httpx.HTTPError, PrefectException) as error:  # a batch outlives its server
            narrate("batch", f"no progress in the Prefect UI any more: {error}")
            self._artifact = None
