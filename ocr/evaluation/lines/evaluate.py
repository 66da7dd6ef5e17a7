"""Measures recognisers on lines, each alone, and puts two beside each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from ocr.evaluation.bootstrap import (
    Interval,
    Resampling,
    estimate_possible,
    group_codes,
    wilson,
)
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import count_confusions
from ocr.evaluation.elsewhere import Readings
from ocr.evaluation.lines.calibration import calibrate
from ocr.evaluation.lines.comparison import compare_lines, compare_lines_with_number
from ocr.evaluation.lines.metrics import score_lines, summarise_lines
from ocr.evaluation.lines.reading import LabelledLine, read_lines
from ocr.evaluation.lines.report import EvaluatedLine, LinesModelReport, LinesReport, Reading
from ocr.evaluation.lines.slices import measure_line_slices
from ocr.evaluation.ratio import Ratio, Values
from ocr.evaluation.report import set_beside
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser

UNKNOWN: Final[Mapping[str, int]] = MappingProxyType({})


def evaluate_lines(
    recogniser: Recogniser | Readings[Recognition],
    samples: Iterable[tuple[LabelledLine, Image]],
    *,
    resamples: int,
    seed: int,
    batch_size: int = 32,
) -> LinesReport:
    """Read every line and measure what can be said of one recogniser alone.

    Images are streamed.

    Args:
        recogniser: Who is measured, or what it read elsewhere: the candidate of the report,
            which has no opponent.
        samples: The test lines with their images; images are (H, W, 3) BGR.
        resamples: Bootstrap resamples, with their ``seed``.
        seed: Of the bootstrap.
        batch_size: Images read at once.

    Raises:
        BadData: There are no test lines.
    """
    lines = list(read_lines(recogniser, samples, batch_size=batch_size))
    readings = [line.candidate for line in lines]
    draws = _draw(lines, resamples, seed)
    return LinesReport(
        candidate=_report_model(recogniser.name, lines, readings, draws),
        opponent=None,
        comparison=None,
        slices=measure_line_slices(
            lines,
            draws,
            candidate=_mark_read(lines, readings),
            opponent=None,
            training_counts=UNKNOWN,
        ),
        lines=lines,
        resamples=resamples,
        seed=seed,
    )


def pair_lines(
    ours: LinesReport,
    theirs: LinesReport | None,
    *,
    required_accuracy: float | None = None,
    training_counts: Mapping[str, int] = UNKNOWN,
) -> LinesReport:
    """Measure all the report and the gate need of two that read the same lines, each alone.

    Args:
        ours: What the candidate read.
        theirs: What its opponent read; None: it has none.
        required_accuracy: An accuracy to compare with where there is no opponent.
        training_counts: Occurrences of each character in the training texts; empty: unknown.

    Raises:
        BadData: They read different lines.
    """
    lines = set_beside(ours.lines, theirs.lines) if theirs else ours.lines
    read = _mark_read(lines, [line.candidate for line in lines])
    they_read = None if theirs is None else _mark_read(lines, [o.candidate for o in theirs.lines])
    draws = _draw(lines, ours.resamples, ours.seed)
    return replace(
        ours,
        opponent=theirs.candidate if theirs else None,
        comparison=_compare(read, they_read, required_accuracy, draws),
        slices=measure_line_slices(
            lines, draws, candidate=read, opponent=they_read, training_counts=training_counts
        ),
        lines=lines,
    )


def _draw(lines: Sequence[EvaluatedLine], resamples: int, seed: int) -> Resampling:
    return Resampling(group_codes([line.group for line in lines]), resamples, seed)


def _report_model(
    name: str,
    lines: Sequence[EvaluatedLine],
    readings: Sequence[Reading],
    draws: Resampling,
) -> LinesModelReport:
    texts, references = [reading.text for reading in readings], [line.text for line in lines]
    scores = score_lines(texts, references)
    confidences = np.array([reading.confidence for reading in readings])
    return LinesModelReport(
        name=name,
        metrics=summarise_lines(scores),
        intervals={name: _estimate(score, draws) for name, score in scores.items()},
        confusions=count_confusions(texts, references),
        calibration=calibrate(confidences, scores["accuracy"].numerator),
    )


def _estimate(score: Ratio, draws: Resampling) -> Interval:
    """Return a metric with its interval; that of a share of lines is at least Wilson's."""
    found = estimate_possible(score, draws)
    if not np.isin(score.numerator, (0.0, 1.0)).all() or (score.denominator != 1.0).any():
        return found
    return found.widened(wilson(int(score.numerator.sum()), len(score.numerator)))


def _compare(
    ours: Values, theirs: Values | None, required: float | None, draws: Resampling
) -> Comparison | None:
    if theirs is not None:
        return compare_lines(ours, theirs, draws)
    return None if required is None else compare_lines_with_number(ours, required, draws)


def _mark_read(lines: Sequence[EvaluatedLine], readings: Sequence[Reading]) -> Values:
    """Return 1.0 for every line that was read exactly, 0.0 for the others; (lines,)."""
    pairs = zip(lines, readings, strict=True)
    return np.array([float(reading.text == line.text) for line, reading in pairs])
