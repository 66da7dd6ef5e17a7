"""A training's progress: a bar in the terminal, a progress artifact in the Prefect UI."""

from types import TracebackType
from typing import Any, cast
from uuid import UUID

import httpx
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import TaskRunContext
from prefect.exceptions import PrefectException
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tasks.narration import TERMINAL, narrate

ARTIFACT_EVERY_PERCENT = 5


class TrainingProgress:
    """Shows the events of ``metrics.jsonl`` while a training runs."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("[bold cyan]    train[/]"),
            BarColumn(bar_width=30),
            TextColumn("{task.completed:.0f}/{task.total:.0f}  {task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            console=TERMINAL,
            transient=True,
            disable=not TERMINAL.is_terminal,
        )
        self._line = self._bar.add_task("train", total=None, figures="loading", start=True)
        self._accuracy = ""
        self._shown_percent = -1.0
        self._artifact: UUID | None = None
        if TaskRunContext.get() is not None:
            created = create_progress_artifact(progress=0.0, key="training", description="loading")
            self._artifact = cast(UUID, created)  # a coroutine only inside an event loop

    def __enter__(self) -> "TrainingProgress":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def update(self, event: dict[str, Any]) -> None:
        """Show one event of the training."""
        if event["event"] == "validation":
            self._accuracy = f"accuracy {event['accuracy']:.4f}"
            narrate("train", f"step {event['step']}: validation {self._accuracy}")
        elif event["event"] == "notice":
            narrate("train", event["message"])
        elif event["event"] == "step":
            self._show_step(event)

    def _show_step(self, event: dict[str, Any]) -> None:
        figures = (
            f"loss {event['loss']:.3f}  {self._accuracy}  {event['images_per_s']:.0f} images/s"
        )
        self._bar.update(self._line, total=event["steps"], completed=event["step"], figures=figures)
        percent = 100.0 * event["step"] / event["steps"]
        if self._artifact and percent - self._shown_percent >= ARTIFACT_EVERY_PERCENT:
            self._shown_percent = percent
            self._show_artifact(percent, f"{figures}, {event['seconds_left']:.0f} s left")

    def _show_artifact(self, percent: float, said: str) -> None:
        try:
            update_progress_artifact(
                artifact_id=cast(UUID, self._artifact), progress=percent, description=said
            )
        except (httpx.HTTPError, PrefectException) as error:  # a training outlives its server
            narrate("train", f"no progress in the Prefect UI any more: {error}")
            self._artifact = None
