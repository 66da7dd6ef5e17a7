"""Parts of the test set that can hide behind a good average."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Interval, wilson
from ocr.evaluation.comparison import mcnemar
from ocr.evaluation.metrics import Values

Mask = NDArray[np.bool_]

LENGTHS = ((1, 4), (5, 8), (9, 16), (17, 32), (33, 10**9))
RARE_BELOW = 10
_BLUR_HEIGHT_PX = 32
_MOST_NAMES = 20
_SCRIPTS = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}


@dataclass(frozen=True)
class SlicedLine:
    """What a test line is sliced by."""

    text: str
    source: str
    width_px: int
    height_px: int
    sharpness: float


@dataclass(frozen=True)
class SliceReport:
    """How well one part is read.

    Attributes:
        kind: What it is cut by (length, script, …); ``name``: which part.
        n: Lines in it.
        accuracy: The candidate's, with Wilson's 95 % interval.
        opponent_accuracy: The opponent's on the same lines; None without a paired opponent.
        gained: Lines that only the candidate reads; ``lost``: that only the opponent reads.
        p_value: Two-sided, not yet adjusted for the number of slices: exact McNemar test of lines;
            of pages, with the signs of documents reversed at random.
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


def measure_slices(
    lines: Sequence[SlicedLine],
    *,
    candidate: Values,
    opponent: Values | None,
    training_counts: Mapping[str, int],
) -> list[SliceReport]:
    """Measure every part that is neither empty nor everything.

    Args:
        lines: The test lines (N,).
        candidate: 1.0 where the candidate read the line exactly; (N,).
        opponent: The same of the opponent.
        training_counts: Occurrences of each character in the training texts; empty: unknown.
    """
    return [
        _measure(kind, name, mask, candidate=candidate, opponent=opponent)
        for kind, name, mask in cut(lines, training_counts=training_counts)
        if 0 < mask.sum() < len(lines)
    ]


def cut(
    lines: Sequence[SlicedLine], *, training_counts: Mapping[str, int]
) -> Iterator[tuple[str, str, Mask]]:
    """Yield (kind, name, mask (N,)) of every part; parts of one kind may overlap."""
    texts = [line.text for line in lines]
    yield from cut_lengths(texts)
    yield "content", "digits only", np.array([text.isdecimal() for text in texts])
    yield from cut_names("script", [script_of(text) for text in texts])
    if training_counts:
        fewest = np.array([min(training_counts.get(c, 0) for c in text or " ") for text in texts])
        yield "characters", "one never seen in training", fewest == 0
        yield "characters", f"one seen under {RARE_BELOW} times", fewest < RARE_BELOW
    sharpness = np.array([line.sharpness for line in lines])
    yield from cut_thirds("sharpness", sharpness, low="blurriest third", high="sharpest third")
    heights = np.array([float(line.height_px) for line in lines])
    yield from cut_thirds("height", heights, low="smallest third", high="largest third")
    yield from cut_names("source", [line.source for line in lines])


def script_of(text: str) -> str:
    """Name the scripts of a text's letters ("Han + Latin"), "no letters" without any."""
    names = {unicodedata.name(c, "OTHER").split(" ")[0] for c in text if c.isalpha()}
    scripts = {_SCRIPTS.get(name, name.capitalize()) for name in names}
    return " + ".join(sorted(scripts)) or "no letters"


def sharpness_of(image: NDArray[np.uint8]) -> float:
    """Return the variance of the Laplacian of a BGR image (H, W, 3), at one common height."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    width_px = max(1, round(gray.shape[1] * _BLUR_HEIGHT_PX / gray.shape[0]))
    resized = cv2.resize(gray, (width_px, _BLUR_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(resized, cv2.CV_64F).var())


def cut_lengths(texts: Sequence[str]) -> Iterator[tuple[str, str, Mask]]:
    """Yield a part for every range of lengths."""
    lengths = np.array([len(text) for text in texts])
    for fewest, most in LENGTHS:
        name = f"{fewest}–{most} characters" if most < 10**9 else f"{fewest} characters and more"
        yield "length", name, (lengths >= fewest) & (lengths <= most)


def cut_names(kind: str, names: Sequence[str]) -> Iterator[tuple[str, str, Mask]]:
    """Yield a part for every name, the most frequent first."""
    for name, _ in Counter(sorted(names)).most_common(_MOST_NAMES):
        yield kind, name or "unnamed", np.array([other == name for other in names])


def cut_thirds(
    kind: str, values: Values, *, low: str, high: str
) -> Iterator[tuple[str, str, Mask]]:
    """Yield the lowest and the highest third."""
    below, above = np.quantile(values, [1 / 3, 2 / 3])
    yield kind, low, values < below
    yield kind, high, values > above


def _measure(
    kind: str, name: str, mask: Mask, *, candidate: Values, opponent: Values | None
) -> SliceReport:
    ours = candidate[mask]
    theirs = ours if opponent is None else opponent[mask]
    gained, lost = int(np.sum(ours > theirs)), int(np.sum(ours < theirs))
    return SliceReport(
        kind=kind,
        name=name,
        n=len(ours),
        accuracy=wilson(int(ours.sum()), len(ours)),
        opponent_accuracy=None if opponent is None else float(theirs.mean()),
        gained=gained,
        lost=lost,
        p_value=mcnemar(gained=gained, lost=lost),
    )
