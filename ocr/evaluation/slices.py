"""Parts of a test that can hide behind a good average."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Interval, Resampling, estimate_possible, wilson
from ocr.evaluation.ratio import Values, mean_of

Mask = NDArray[np.bool_]
Part = tuple[str, str, Mask]
"""Kind, name and mask (N,) of a part; parts of one kind may overlap."""

LENGTHS = ((1, 4), (5, 8), (9, 16), (17, 32), (33, 10**9))
_FIRST_NAMES = 20
_MOST_NAMES = 50  # of more than 100 slices none is significant by 2000 draws, adjusted for so many
_OWN_PART = 20  # lines, as many as the gate asks for where nothing else is set
_OFF_A_THIRD = 0.05
_SCRIPTS = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}


@dataclass(frozen=True)
class SliceReport:
    """How well one part is read.

    Attributes:
        kind: What it is cut by (length, script, …); ``name``: which part.
        n: Lines in it.
        accuracy: The candidate's, with its 95 % interval by document, at least Wilson's.
        opponent_accuracy: The opponent's on the same lines; None without one.
        gained: Lines that only the candidate reads; ``lost``: that only the opponent reads.
        p_value: Two-sided, not yet adjusted for the number of slices.
    """

    kind: str
    name: str
    n: int
    accuracy: Interval
    opponent_accuracy: float | None
    gained: int
    lost: int
    p_value: float

    @property
    def title(self) -> str:
        """Return kind and name as one label."""
        return f"{self.kind}: {self.name}"


def measure_parts(
    parts: Iterable[Part],
    *,
    candidate: Values,
    opponent: Values | None,
    draws: Resampling,
    p_value: Callable[[Values], float],
) -> list[SliceReport]:
    """Measure every part that is neither empty nor everything.

    Args:
        parts: Parts of the labelled lines (N,).
        candidate: 1.0 where the candidate reads a line, else 0.0; (N,).
        opponent: The same of the opponent.
        draws: How lines are drawn anew.
        p_value: Tests changes (N,) of 1.0 where a line of the part was gained, −1.0 where lost.
    """
    reports = []
    for kind, name, mask in parts:
        n = int(mask.sum())
        if 0 < n < len(mask):
            changes = mask * (candidate - (candidate if opponent is None else opponent))
            report = SliceReport(
                kind=kind,
                name=name,
                n=n,
                accuracy=_estimate(candidate[mask], draws, mask),
                opponent_accuracy=None if opponent is None else float(opponent[mask].mean()),
                gained=int((changes > 0).sum()),
                lost=int((changes < 0).sum()),
                p_value=p_value(changes),
            )
            reports.append(report)
    return reports


def _estimate(read: Values, draws: Resampling, mask: Mask) -> Interval:
    """Return the share of a part's lines (n,) that are read."""
    _, documents = np.unique(draws.codes[mask], return_inverse=True)
    by_document = estimate_possible(mean_of(read), replace(draws, codes=documents))
    return by_document.widened(wilson(int(read.sum()), len(read)))


def script_of(text: str) -> str:
    """Name the scripts of a text's letters ("Han + Latin"), "no letters" without any."""
    names = {unicodedata.name(c, "OTHER").split(" ")[0] for c in text if c.isalpha()}
    scripts = {_SCRIPTS.get(name, name.capitalize()) for name in names}
    return " + ".join(sorted(scripts)) or "no letters"


def cut_lengths(texts: Sequence[str]) -> Iterator[Part]:
    """Yield a part for every range of lengths."""
    lengths = np.array([len(text) for text in texts])
    for fewest, most in LENGTHS:
        name = f"{fewest}–{most} characters" if most < 10**9 else f"{fewest} characters and more"
        yield "length", name, (lengths >= fewest) & (lengths <= most)


def cut_names(kind: str, names: Sequence[str]) -> Iterator[Part]:
    """Yield a part for every name, the most frequent first, and one for all rare ones.

    Beyond the first 20, a name of fewer than 20 lines is rare, and whatever follows the first 50.
    """
    named = np.array(names, dtype=object)
    counted = Counter(sorted(names)).most_common()
    rest = np.full(len(names), True)
    rare = len(counted)
    for number, (name, lines) in enumerate(counted[:_MOST_NAMES]):
        if number < _FIRST_NAMES or lines >= _OWN_PART:
            own: Mask = named == name
            yield kind, name or "unnamed", own
            rest &= ~own
            rare -= 1
    yield kind, f"{rare} rare ones together", rest


def cut_thirds(kind: str, values: Sequence[float], *, low: str, high: str) -> Iterator[Part]:
    """Yield the lowest and the highest third.

    Where many values are equal, what lies below or above these is no third, and named by them.
    """
    found = np.array(values)
    below, above = np.quantile(found, [1 / 3, 2 / 3])
    for name, mask, bound in (
        (low, found < below, f"below {below:g}"),
        (high, found > above, f"above {above:g}"),
    ):
        is_third = abs(int(mask.sum()) - len(found) / 3) <= max(1, _OFF_A_THIRD * len(found))
        yield kind, f"{name} third" if is_third else f"{name}, {bound}", mask
