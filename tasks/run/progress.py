"""Progress: a bar in the terminal; of a training also a progress artifact in the Prefect UI."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from threading import Lock
from types import TracebackType
from typing import Any, Literal, TypeVar, cast
from uuid import UUID

import httpx
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import TaskRunContext
from prefect.exceptions import PrefectException
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from configs.paddleocr import TrainingField
from tasks.run.narration import TERMINAL, narrate
from tasks.run.wording import in_words_of

ARTIFACT_EVERY_PERCENT = 5
BAR_EVERY_ROWS = 8

RowT = TypeVar("RowT")
Net = Literal["recogniser", "detector"]
SCORES: dict[Net, str] = {"recogniser": "accuracy", "detector": "hmean"}


class Bars:
    """The bars of all that this process waits for: a terminal shows one set at a time."""

    def __init__(self, console: Console) -> None:
        self._lock = Lock()
        self._count = 0
        self._bars = Progress(
            TextColumn("[bold cyan]{task.description:>10}[/]"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def add(self, name: str) -> TaskID:
        """Show one more bar."""
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._bars.start()
            return self._bars.add_task(name, total=None, figures="loading")

    def show(self, bar: TaskID, *, steps: int, done: int, figures: str) -> None:
        """Move a bar."""
        self._bars.update(bar, total=steps, completed=done, figures=f"{done}/{steps}  {figures}")

    def remove(self, bar: TaskID) -> None:
        """Take a bar away, and with the last one the whole set."""
        with self._lock:
            self._bars.remove_task(bar)
            self._count -= 1
            if self._count == 0:
                self._bars.stop()

    @contextmanager
    def shown(self, name: str) -> Iterator[TaskID]:
        """Show one more bar while the block runs."""
        bar = self.add(name)
        try:
            yield bar
        finally:
            self.remove(bar)


BARS = Bars(TERMINAL)


def track_rows(rows: Iterable[RowT], count: int) -> Iterator[RowT]:
    """Show how many of so many rows a preparation has looked into.

    The bar has a thread, so it comes with the first row: by then processes have been forked.
    """
    coming = iter(rows)
    first = list(islice(coming, 1))
    with BARS.shown("prepare") as bar:
        for done, row in enumerate(chain(first, coming), start=1):
            if done % BAR_EVERY_ROWS == 0:
                BARS.show(bar, steps=count, done=done, figures="rows")
            yield row


class TrainingProgress:
    """Shows the events of ``metrics.jsonl`` while a net is trained; several may run at once."""

    def __init__(self, net: Net, field: TrainingField = "training") -> None:
        self._net = net
        self._field = field
        self._score = ""
        self._shown_percent = -1.0
        self._artifact: UUID | None = None
        if TaskRunContext.get() is not None:
            key = f"training-{net}"
            created = create_progress_artifact(progress=0.0, key=key, description="loading")
            self._artifact = cast(UUID, created)  # a coroutine only inside an event loop

    def __enter__(self) -> "TrainingProgress":
        self._bar = BARS.add(self._net)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        BARS.remove(self._bar)

    def update(self, event: dict[str, Any]) -> None:
        """Show one event of the training."""
        if event["event"] == "validation":
            score = SCORES[self._net]
            self._score = f"{score} {event[score]:.4f}"
            narrate("train", f"{self._net}, step {event['step']}: validation {self._score}")
        elif event["event"] == "resumed":
            narrate("train", f"{self._net}: goes on after step {event['step']}")
        elif event["event"] == "notice":
            narrate("train", f"{self._net}: {in_words_of(self._field, event['message'])}")
        elif event["event"] == "step":
            self._show_step(event)

    def _show_step(self, event: dict[str, Any]) -> None:
        figures = f"loss {event['loss']:.3f}  {self._score}  {event['images_per_s']:.0f} images/s"
        BARS.show(self._bar, steps=event["steps"], done=event["step"], figures=figures)
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
            narrate("train", f"{self._net}: no progress in the Prefect UI any more: {error}")
            self._artifact = None
