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

from bench.reading import FOLDS, RESAMPLES, Fold, format_change
from ocr.dataset.lines.snapshot import LineSample, LineSnapshot
from ocr.evaluation.bootstrap import Resampling, estimate, group_codes
from ocr.evaluation.ratio import mean_of
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
    def least(self) -> NDArray[np.float64]:
        """The confidence of each line's least sure character."""
        return np.array([one.least_confidence for one in self.answers])


def main() -> None:
    """Measure two recognisers of the registry."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("fast", "receipts-recogniser"),
        ("accurate", "receipts-accurate-recogniser"),
    ):
        parser.add_argument(f"--{name}", default=default, help="NAME, NAME@alias or NAME:version")
    arguments = parser.parse_args()
    workspace = open_workspace()
    model = workspace.registry.resolve(arguments.fast)
    key = workspace.find_snapshot(str(model.manifest["dataset_digest"]))
    if not key:
        raise SystemExit(f"The store no longer holds the dataset of {model.reference}")
    fast = load_recogniser(workspace, model.reference)
    accurate = load_recogniser(workspace, arguments.accurate)
    Console().print(measure(fast, accurate, workspace.open_lines(key)))


def measure(fast: Recogniser, accurate: Recogniser, snapshot: LineSnapshot) -> Table:
    """Read the test lines of a snapshot with both, and tabulate the cascades."""
    lines = list(snapshot.samples("test"))
    least = read_all(fast, (image for _, image in snapshot.images("val"))).least
    first = read_all(fast, (image for _, image in snapshot.images("test")))
    second = read_all(accurate, (image for _, image in snapshot.images("test")), batch=1)
    exactly, *loosely = FOLDS
    heads = ("again", exactly, "change", *loosely, "ms a line", "times")
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


def _describe(lines: Sequence[LineSample], first: Read, second: Read, *, below: float) -> list[str]:
    """Say of a threshold what is read right, what that gains, and what it costs."""
    again = first.least < below
    draws = Resampling(group_codes([line.group for line in lines]), RESAMPLES, seed=0)
    cells = []
    for fold in FOLDS.values():
        alone, other = (_mark(lines, one.answers, fold) for one in (first, second))
        both = np.where(again, other, alone)
        cells.append(f"{both.mean():.4f}")
        if fold is str:
            cells.append(format_change(estimate(mean_of(both - alone), draws)))
    ms = float(first.ms.mean() + (second.ms * again).mean())
    return [*cells, f"{ms:.2f}", f"{ms / first.ms.mean():.2f}x"]


def _mark(
    lines: Sequence[LineSample], read: Sequence[Recognition], fold: Fold
) -> NDArray[np.float64]:
    pairs = zip(lines, read, strict=True)
    return np.array([float(fold(line.text) == fold(one.text)) for line, one in pairs])


if __name__ == "__main__":
    main()
