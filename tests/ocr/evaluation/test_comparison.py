import numpy as np
import pytest
from scipy.stats import ttest_1samp

from ocr.evaluation.comparison import holm, p_value_by_group
from ocr.evaluation.ratio import mean_of


def test_holm_multiplies_and_stays_monotone() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []


@pytest.mark.parametrize("lines", [1, 4])
def test_p_value_by_group_is_that_of_the_t_test_of_their_means(lines: int) -> None:
    changes = np.random.default_rng(0).normal(0.2, 1.0, size=(12, lines))
    codes = np.repeat(np.arange(12), lines)

    p_value = p_value_by_group(mean_of(changes.ravel()), codes=codes)

    assert p_value == pytest.approx(ttest_1samp(changes.mean(axis=1), 0.0).pvalue)
