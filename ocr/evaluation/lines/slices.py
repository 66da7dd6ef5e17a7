"""The parts of a test of lines."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ocr.evaluation.bootstrap import Resampling
from ocr.evaluation.comparison import p_value_by_group
from ocr.evaluation.lines.comparison import mcnemar
from ocr.evaluation.lines.report import EvaluatedLine
from ocr.evaluation.ratio import Values, mean_of
from ocr.evaluation.slices import (
    Part,
    SliceReport,
    cut_lengths,
    cut_names,
    cut_thirds,
    measure_parts,
    script_of,
)

RARE_BELOW = 10


def measure_line_slices(
    lines: Sequence[EvaluatedLine],
    draws: Resampling,
    *,
    candidate: Values,
    opponent: Values | None,
    training_counts: Mapping[str, int],
) -> list[SliceReport]:
    """Measure every part that is neither empty nor everything, with the tests of the whole.

    Args:
        lines: The test lines (N,).
        draws: How lines are drawn anew.
        candidate: 1.0 where the candidate read the line exactly, else 0.0; (N,).
        opponent: The same of the opponent.
        training_counts: Occurrences of each character in the training texts; empty: unknown.
    """
    parts = _cut(lines, training_counts=training_counts)
    return measure_parts(
        parts,
        candidate=candidate,
        opponent=opponent,
        draws=draws,
        p_value=lambda changes: _test(changes, draws),
    )


def _test(changes: Values, draws: Resampling) -> float:
    by_line = mcnemar(gained=int((changes > 0).sum()), lost=int((changes < 0).sum()))
    return max(by_line, p_value_by_group(mean_of(changes), codes=draws.codes))


def _cut(lines: Sequence[EvaluatedLine], *, training_counts: Mapping[str, int]) -> Iterator[Part]:
    texts = [line.text for line in lines]
    yield from cut_lengths(texts)
    yield "content", "digits only", np.array([text.isdecimal() for text in texts])
    yield from cut_names("script", [script_of(text) for text in texts])
    if training_counts:
        fewest = np.array([min(training_counts.get(c, 0) for c in text or " ") for text in texts])
        yield "characters", "one never seen in training", fewest == 0
        yield "characters", f"one seen under {RARE_BELOW} times", fewest < RARE_BELOW
    sharpness = [line.sharpness for line in lines]
    yield from cut_thirds("sharpness", sharpness, low="blurriest", high="sharpest")
    heights = [line.height_px for line in lines]
    yield from cut_thirds("height", heights, low="smallest", high="largest")
    yield from cut_names("source", [line.source for line in lines])
