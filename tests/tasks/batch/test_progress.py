"""How far a batch is, while it is read."""

from io import StringIO

import pytest
from rich.console import Console

from ocr.batch.batch import Progress
from ocr.batch.reading import Counts
from tasks.batch import progress
from tasks.batch.progress import BatchProgress
from tasks.run.progress import Bars


def test_the_terminal_shows_how_much_of_a_batch_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    monkeypatch.setenv("TERM", "xterm")  # on a dumb one there are no bars
    bars = Bars(Console(file=screen, force_terminal=True, width=120))
    monkeypatch.setattr(progress, "BARS", bars)

    with bars.shown("batch") as bar:
        BatchProgress(bar).update(Progress(done=3, shards=8, counts=Counts(pages=50, lines=700)))
        bars._bars.refresh()

    assert "3/8  shards, 50 pages, 700 lines" in screen.getvalue()
    assert bars._count == 0
