"""Whether a confidence means what it says."""

from dataclasses import dataclass

import numpy as np

from ocr.evaluation.ratio import Values

BINS = 10
COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.5)


@dataclass(frozen=True)
class CalibrationBin:
    """The lines whose confidence lies in [lower, upper), the last bin including 1."""

    lower: float
    upper: float
    n: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Coverage:
    """The accuracy of the surest lines, and the confidence from which on a line is among them."""

    coverage: float
    threshold: float
    accuracy: float


@dataclass(frozen=True)
class Calibration:
    """Expected calibration error (Naeini et al. 2015, equal-width bins) and what it is made of."""

    ece: float
    bins: list[CalibrationBin]
    coverages: list[Coverage]


def calibrate(confidences: Values, correct: Values) -> Calibration:
    """Measure how far the confidences (N,) are from the shares of exactly read lines."""
    places = np.clip((confidences * BINS).astype(int), 0, BINS - 1)
    filled = [
        CalibrationBin(
            lower=place / BINS,
            upper=(place + 1) / BINS,
            n=int(inside.sum()),
            confidence=float(confidences[inside].mean()),
            accuracy=float(correct[inside].mean()),
        )
        for place in range(BINS)
        if (inside := places == place).any()
    ]
    gaps = sum(item.n * abs(item.confidence - item.accuracy) for item in filled)
    return Calibration(
        ece=gaps / len(confidences), bins=filled, coverages=_measure_coverages(confidences, correct)
    )


def _measure_coverages(confidences: Values, correct: Values) -> list[Coverage]:
    order = np.argsort(-confidences, kind="stable")
    accuracies = np.cumsum(correct[order]) / np.arange(1, len(order) + 1)
    kept = [max(1, round(coverage * len(order))) for coverage in COVERAGES]
    return [
        Coverage(
            coverage=coverage,
            threshold=float(confidences[order[count - 1]]),
            accuracy=float(accuracies[count - 1]),
        )
        for coverage, count in zip(COVERAGES, kept, strict=True)
    ]
