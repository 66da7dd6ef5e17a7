import numpy as np
import pytest

from ocr.gate.checks import Verdict
from tests.ocr.gate.scenes import judge_readings, read

TRIALS = 1000


SCENES = pytest.mark.parametrize("accuracy", [0.83, 0.95])


ERRORS = pytest.mark.parametrize("correlated", [True, False], ids=["correlated", "independent"])


def share_of(
    verdict: Verdict, *, n: int, accuracy: float, change: float, correlated: bool
) -> float:
    rng = np.random.default_rng(20240229)
    verdicts = [
        judge_readings(
            *read(rng, n=n, accuracy=accuracy, change=change, correlated=correlated)
        ).verdict
        for _ in range(TRIALS)
    ]
    return verdicts.count(verdict) / TRIALS


@SCENES
@ERRORS
@pytest.mark.parametrize("n", [200, 1000])
def test_equal_models_are_blocked_in_at_most_5_percent(
    n: int, accuracy: float, correlated: bool
) -> None:
    blocked = share_of("block", n=n, accuracy=accuracy, change=0.0, correlated=correlated)

    assert blocked <= 0.05


@SCENES
@ERRORS
def test_true_loss_of_3_points_is_promoted_in_at_most_5_percent(
    accuracy: float, correlated: bool
) -> None:
    promoted = share_of("promote", n=1000, accuracy=accuracy, change=-0.03, correlated=correlated)

    assert promoted <= 0.05


@SCENES
@ERRORS
def test_true_gain_of_3_points_is_promoted_in_at_least_80_percent(
    accuracy: float, correlated: bool
) -> None:
    promoted = share_of("promote", n=1000, accuracy=accuracy, change=0.03, correlated=correlated)

    assert promoted >= 0.80


@pytest.mark.parametrize("documents", [20, 200])
def test_equal_models_whose_errors_cluster_in_documents_are_blocked_in_at_most_5_percent(
    documents: int,
) -> None:
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(documents), 5)

    blocked = 0
    for _ in range(TRIALS):
        favour = rng.beta(0.5, 0.5, size=documents)[codes]
        gained = rng.random(len(codes)) < favour
        readings = np.where(rng.random(len(codes)) < 0.3, gained, 0.5)
        decision = judge_readings(
            (readings == 1).astype(float), (readings == 0).astype(float), groups=codes
        )
        blocked += decision.verdict == "block"

    assert blocked / TRIALS <= 0.05
