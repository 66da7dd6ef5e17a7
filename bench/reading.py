"""What a recogniser gains by a model of its training texts: ``python -m bench.reading --help``.

Weighs a text model on the validation lines of the dataset that the recogniser was trained on, as an
export does, and reads the test lines once with it and once without: how many are read right, by how
much that differs (95 % interval, by document), and the processor time of a line, in one run.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from ocr.dataset.lines.snapshot import LineSample, LineSnapshot
from ocr.errors import BadData
from ocr.evaluation.bootstrap import Interval, Resampling, estimate, group_codes
from ocr.evaluation.lines.text_gain import TextGain
from ocr.evaluation.ratio import mean_of
from ocr.models.charset import Charset
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.decoder import Decoder
from ocr.reading.recognition.recogniser import OnnxRecogniser, Probabilities
from tasks.readers import load_recogniser
from tasks.workspace import open_workspace
from training.recognition.text_model import weigh_text_model

BATCH = 64
RESAMPLES = 2000
ROUNDS = 3

Fold = Callable[[str], str]
FOLDS: dict[str, Fold] = {
    "exactly": str,
    "but for case and spaces": lambda text: "".join(text.split()).casefold(),
}


@dataclass(frozen=True)
class Run:
    """The test lines as one decoder reads them, and what that took: processor ms a line."""

    texts: tuple[str, ...]
    ms: float


def main() -> None:
    """Measure one recogniser of the registry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", default="receipts-recogniser", help="NAME, NAME@alias or NAME:version"
    )
    arguments = parser.parse_args()
    workspace = open_workspace()
    model = workspace.registry.resolve(arguments.model)
    digest = str(model.manifest["dataset_digest"])
    if not (key := workspace.find_snapshot(digest)):
        raise SystemExit(
            f"The store no longer holds the dataset {digest[:12]} of {model.reference}"
        )
    snapshot = workspace.open_lines(key)
    recogniser = load_recogniser(workspace, model.reference, greedy=True)
    charset = Charset.read(workspace.fetch_bundle(model) / "charset.txt")
    measure(recogniser, snapshot, charset)


def measure(recogniser: OnnxRecogniser, snapshot: LineSnapshot, charset: Charset) -> None:
    """Read the test lines of a snapshot and print the table.

    Raises:
        BadData: There are no texts to learn from, or no lines to read.
    """
    gain, _ = weigh_text_model(snapshot, recogniser, charset)
    lines = list(snapshot.samples("test"))
    if gain is None or not lines:
        raise BadData("A text model needs training texts, validation lines and test lines")
    net_ms, probabilities = read_all(recogniser, snapshot, lines)
    plain, counted = take_turns(Decoder(charset), Decoder(charset, gain.model), probabilities)
    console = Console()
    console.print(describe(gain))
    console.print(compare(lines, plain, counted, net_ms=net_ms))


def read_all(
    recogniser: OnnxRecogniser, snapshot: LineSnapshot, lines: Sequence[LineSample]
) -> tuple[float, list[Probabilities]]:
    """Return the milliseconds of a line in the net, and what it gives for each."""
    found: list[Probabilities] = []
    spent_s = 0.0
    for start in range(0, len(lines), BATCH):
        images = [snapshot.image(line) for line in lines[start : start + BATCH]]
        began = time.process_time()
        found += recogniser.probabilities(images)
        spent_s += time.process_time() - began
    return 1000 * spent_s / len(lines), found


def take_turns(
    plain: Decoder, counted: Decoder, probabilities: Sequence[Probabilities]
) -> tuple[Run, Run]:
    """Decode all lines with both, several times in turn; the fastest round of each counts."""
    rounds = [[decode(one, probabilities) for one in (plain, counted)] for _ in range(ROUNDS)]
    first, second = (min(runs, key=lambda run: run.ms) for runs in zip(*rounds, strict=True))
    return first, second


def decode(decoder: Decoder, probabilities: Sequence[Probabilities]) -> Run:
    """Decode all lines once."""
    began = time.process_time()
    read: list[Recognition] = [decoder.decode(one) for one in probabilities]
    spent_s = time.process_time() - began
    return Run(tuple(one.text for one in read), ms=1000 * spent_s / len(probabilities))


def compare(lines: Sequence[LineSample], plain: Run, counted: Run, *, net_ms: float) -> Table:
    """Tabulate both runs and what one changes."""
    draws = Resampling(group_codes([line.group for line in lines]), RESAMPLES, seed=0)
    table = Table("read", "net alone", "with the texts", "change", title=f"{len(lines)} test lines")
    for name, fold in FOLDS.items():
        truth = [fold(line.text) for line in lines]
        right = [
            np.array([float(fold(a) == b) for a, b in zip(run.texts, truth, strict=True)])
            for run in (plain, counted)
        ]
        change = estimate(mean_of(right[1] - right[0]), draws)
        shares = (f"{one.mean():.4f}" for one in right)
        table.add_row(name, *shares, format_change(change))
    ratio = (net_ms + counted.ms) / (net_ms + plain.ms)
    table.add_row(
        f"ms a line, beside {net_ms:.2f} of the net",
        f"{plain.ms:.3f}",
        f"{counted.ms:.3f}",
        f"{ratio:.2f}x in all",
    )
    return table


def describe(gain: TextGain) -> str:
    """Say what the validation lines say."""
    said = "it pays" if gain.pays else "it would be left out"
    return (
        f"validation: {gain.accuracy:.4f} exactly, {format_change(gain.change)} with the texts "
        f"(weight {gain.model.weight}): {said}"
    )


def format_change(change: Interval) -> str:
    """Write a change with its interval."""
    return f"{change.value:+.4f} ({change.lower:+.4f} to {change.upper:+.4f})"


if __name__ == "__main__":
    main()
