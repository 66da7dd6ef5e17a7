"""What a second recogniser gains by time: ``python -m bench.cascade --help``.

Reads the test lines of a recogniser's dataset with it and with a more accurate one, in one run, and
prints what a cascade of both reads right by the share of the lines that are read again: with the
95 % interval of the gain (by document), and the processor time of a line. The thresholds are those
that read 5, 10, 20, 30 and 50 % of the validation lines again.
"""

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.reading.learnt import find_learners
from bench.reading.lines import Line, list_lines
from bench.reading.readers import find_dataset, recogniser_of
from bench.reading.table import FOLDS, describe_change, mark
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser
from tasks.readers import load_recogniser
from tasks.workspace import open_workspace

BATCH = 64
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class Read:
    """Lines as one recogniser reads them, and processor milliseconds of each."""

    answers: tuple[Recognition, ...]
    ms: NDArray[np.float64]

    @property
    def texts(self) -> list[str]:
        """What each line reads."""
        return [one.text for one in self.answers]

    @property
    def least(self) -> NDArray[np.float64]:
        """The confidence of each line's least sure character."""
        return np.array([one.least_confidence for one in self.answers])


def main() -> None:
    """Measure two recognisers of the registry."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("fast", "receipts"), ("accurate", "receipts-accurate")):
        help_ = "A recogniser, or a pipeline that has one: NAME, NAME@alias or NAME:version"
        parser.add_argument(f"--{name}", default=default, help=help_)
    arguments = parser.parse_args()
    workspace = open_workspace()
    models = (workspace.registry.resolve(each) for each in (arguments.fast, arguments.accurate))
    first, second = (recogniser_of(workspace, model) for model in models)
    snapshot = workspace.open_lines(find_dataset(workspace, first))
    fast, accurate = (load_recogniser(workspace, each.reference) for each in (first, second))
    tested = list(snapshot.samples("test"))
    learners = find_learners(workspace, [second], tested, of="lines")
    Console().print(measure(fast, accurate, snapshot), *learners, sep="\n")


def measure(fast: Recogniser, accurate: Recogniser, snapshot: LineSnapshot) -> Table:
    """Read the test lines of a snapshot with both, and tabulate the cascades."""
    lines = list_lines(snapshot)
    least = read_all(fast, (image for _, image in snapshot.images("val"))).least
    first = read_all(fast, (line.image for line in lines))
    second = read_all(accurate, (line.image for line in lines), batch=1)
    exactly, *loosely = FOLDS
    heads = ("again", exactly, "gain, points", *loosely, "ms a line", "times")
    table = Table(*heads, title=f"{len(lines)} test lines")
    table.add_row("nothing", *_describe(lines, first, second, below=0.0))
    for share in SHARES:
        below = float(np.quantile(least, share))
        again = float((first.least < below).mean())
        table.add_row(f"{again:.1%}", *_describe(lines, first, second, below=below))
    table.add_row("all", *_describe(lines, first, second, below=np.inf))
    return table


def read_all(recogniser: Recogniser, images: Iterable[Image], *, batch: int = BATCH) -> Read:
    """Read all images, so many together."""
    answers: list[Recognition] = []
    ms: list[float] = []
    remaining = iter(images)
    for together in iter(lambda: list(islice(remaining, batch)), []):
        began = time.process_time()
        answers += recogniser.recognise(together)
        ms += [1000 * (time.process_time() - began) / len(together)] * len(together)
    return Read(tuple(answers), np.array(ms))


def _describe(lines: Sequence[Line], first: Read, second: Read, *, below: float) -> list[str]:
    """Say of a threshold what is read right, what that gains, and what it costs."""
    again = first.least < below
    cells = []
    for fold in FOLDS.values():
        alone, other = (mark(lines, one.texts, fold) for one in (first, second))
        both = np.where(again, other, alone)
        cells.append(f"{both.mean():.4f}")
        if fold is str:
            cells.append(describe_change(lines, both, alone))
    ms = float(first.ms.mean() + (second.ms * again).mean())
    return [*cells, f"{ms:.2f}", f"{ms / first.ms.mean():.2f}x"]


if __name__ == "__main__":
    main()
