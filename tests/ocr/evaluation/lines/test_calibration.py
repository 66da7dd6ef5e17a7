import numpy as np
import pytest

from ocr.evaluation.lines.calibration import calibrate


def test_honest_confidences_have_no_calibration_error() -> None:
    confidences = np.full(100, 0.75)
    correct = np.repeat([1.0, 0.0], [75, 25])

    calibration = calibrate(confidences, correct)

    assert calibration.ece == pytest.approx(0.0)
    assert [item.n for item in calibration.bins] == [100]


def test_error_is_the_gap_weighted_by_bin() -> None:
    confidences = np.array([1.0, 1.0, 0.5, 0.5])
    correct = np.array([1.0, 0.0, 1.0, 0.0])

    calibration = calibrate(confidences, correct)

    assert calibration.ece == pytest.approx(0.25)
    assert (calibration.bins[-1].lower, calibration.bins[-1].upper) == (0.9, 1.0)


def test_accuracy_at_coverage_keeps_the_surest_lines() -> None:
    confidences = np.linspace(0.1, 1.0, 10)
    correct = (confidences > 0.55).astype(float)

    coverages = {item.coverage: item for item in calibrate(confidences, correct).coverages}

    assert coverages[1.0].accuracy == pytest.approx(0.5)
    assert coverages[0.5].accuracy == 1.0
    assert coverages[0.5].threshold == pytest.approx(0.6)
