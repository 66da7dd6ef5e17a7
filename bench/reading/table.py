"""What is read right of test lines, what that gains beside another row, and what it costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from rich import box
from rich.table import Column, Table

from bench.reading.lines import Line
from bench.reading.readers import Reader
from ocr.evaluation.bootstrap import Resampling, estimate, group_codes
from ocr.evaluation.pages.counts import fold
from ocr.evaluation.ratio import Values, mean_of

BATCH = 64
RESAMPLES = 2000

Fold = Callable[[str], str]
FOLDS: Mapping[str, Fold] = {"exactly": str, "but for case and spaces": fold}


@dataclass
class Answers:
    """What one row read of all lines, and the processor seconds that it took."""

    texts: list[str] = field(default_factory=list)
    spent_s: float = 0.0


def tabulate(sets: Mapping[str, Sequence[Line]], readers: Sequence[Reader]) -> Table:
    """Read sets of lines with everybody, and tabulate them one below the other."""
    table = Table("", Column("read by", min_width=33), "beside", box=box.SIMPLE)
    for name in FOLDS:
        table.add_column(name, max_width=9)
        table.add_column("gain, points", no_wrap=True)
    for name in ("ms a line", "times", "trained"):
        table.add_column(name)
    for title, lines in sets.items():
        table.add_section()
        table.add_row("", f"[bold]{len(lines)} lines, {title}")
        for cells in _describe(lines, readers):
            table.add_row(*cells)
    return table


def mark(lines: Sequence[Line], texts: Sequence[str], fold: Fold) -> Values:
    """Return 1.0 for each line that is read right, else 0.0."""
    pairs = zip(lines, texts, strict=True)
    return np.array([float(fold(line.text) == fold(text)) for line, text in pairs])


def describe_change(lines: Sequence[Line], marks: Values, others: Values) -> str:
    """Say how many points more are read right, with the 95 % interval by document."""
    draws = Resampling(group_codes([line.group for line in lines]), RESAMPLES, seed=0)
    change = estimate(mean_of(marks - others), draws)
    value, lower, upper = (100 * each for each in (change.value, change.lower, change.upper))
    return f"{value:+.2f} ({lower:+.2f} to {upper:+.2f})"


def read_in_turns(lines: Sequence[Line], readers: Sequence[Reader]) -> dict[str, Answers]:
    """Read all lines with everybody: each batch before the next, as the machine's load changes."""
    answers = {name: Answers() for reader in readers for name in reader.rows}
    for start in range(0, len(lines), BATCH):
        images = [line.image for line in lines[start : start + BATCH]]
        for reader in readers:
            for name, (texts, spent_s) in zip(reader.rows, reader.read(images), strict=True):
                answers[name].texts += texts
                answers[name].spent_s += spent_s
    return answers


def _describe(lines: Sequence[Line], readers: Sequence[Reader]) -> list[list[str]]:
    """Return the cells of every row."""
    answers = read_in_turns(lines, readers)
    numbers = {name: str(number) for number, name in enumerate(answers, start=1)}
    found = []
    for reader in readers:
        training = reader.training
        for name, beside in reader.rows.items():
            ours, theirs = answers[name], answers[beside or name]
            cells = [numbers[name], name, numbers.get(beside, "")]
            for folded in FOLDS.values():
                marks, others = (mark(lines, each.texts, folded) for each in (ours, theirs))
                change = describe_change(lines, marks, others) if beside else ""
                cells += [f"{marks.mean():.4f}", change]
            ms = f"{1000 * ours.spent_s / len(lines):.2f}"
            times = f"{ours.spent_s / theirs.spent_s:.2f}x" if beside else ""
            found.append([*cells, ms, times, training])
            training = ""
    return found
