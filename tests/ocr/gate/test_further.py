"""Further test sets: held when provably worse than is allowed, or below the floor; how often so."""

from dataclasses import replace

import numpy as np
import pytest

from ocr.evaluation.bootstrap import Resampling
from ocr.evaluation.lines.comparison import compare_lines
from ocr.gate.checks import Verdict
from ocr.gate.evidence import FurtherSet
from ocr.gate.further import judge_set
from ocr.gate.judge import judge
from ocr.gate.overlap import Overlap
from tests.ocr.gate.scenes import BETTER, RULES, compare, found, general, read

FORGOT = compare(candidate=0.80, opponent=0.90, lower=-0.13, upper=-0.07)
A_LITTLE = compare(candidate=0.88, opponent=0.90, lower=-0.04, upper=-0.005)
UNSURE = compare(candidate=0.80, opponent=0.90, lower=-0.21, upper=0.01)
TRIALS = 200


@pytest.mark.parametrize(
    ("further", "verdict", "words"),
    [
        (general(BETTER), "promote", "It reads better"),
        (general(A_LITTLE), "promote", "It reads better"),
        (general(UNSURE), "promote", "It reads better"),
        (general(None), "promote", "It reads better"),
        (
            general(FORGOT),
            "hold",
            "worse on the further set “general”: accuracy 80.0% against 90.0%",
        ),
        (general(FORGOT, margin=0.08), "promote", "It reads better"),
        (general(replace(FORGOT, p_value=0.06)), "promote", "It reads better"),
        (general(A_LITTLE, margin=0.0), "hold", "0.0 points may be lost"),
        (general(floor=0.81), "hold", "Its accuracy 80.0% on the further set “general” is below"),
        (general(floor=0.9), "block", "so is its 95% upper bound"),
        (
            general(None, floor=0.9),
            "block",
            "on the further set “general” is below the floor 90.0%",
        ),
    ],
)
def test_a_further_set_holds_what_is_provably_forgotten_or_below_its_floor(
    further: FurtherSet, verdict: Verdict, words: str
) -> None:
    decision = judge(found(BETTER), RULES, further=[general(), further])

    assert decision.verdict == verdict
    assert words in " ".join(decision.reasons)
    assert [each.verdict for each in decision.further] == ["promote", verdict]


def test_a_set_of_fewer_documents_than_bounds_need_is_a_warning() -> None:
    few = replace(FORGOT, groups=2, lower=-1.0, upper=1.0)

    decision = judge(found(BETTER), RULES, further=[general(few)])

    assert decision.accepted
    (warning,) = decision.warnings
    assert warning == (
        "What is lost on the further set “general” holds nobody back: 2 documents are too few to "
        "tell: 5 are needed."
    )


def test_what_a_version_learnt_of_a_set_is_a_warning_and_decides_nothing() -> None:
    overlaps = {"plates:new": Overlap(("a.png", "b.png"), ""), "plates:old": Overlap((), "gone")}

    decision = judge(found(BETTER), RULES, further=[general(overlaps=overlaps)])

    assert decision.accepted
    (warning,) = decision.warnings
    assert warning == (
        "plates:new was trained on 2 of the 1000 lines of the further set “general” "
        "(a.png, b.png): it looks better there than it is."
    )
    assert decision.checks[-1].found == "unknown: gone"


def share_held(*, n: int, change: float, accuracy: float = 0.83, correlated: bool = True) -> float:
    rng = np.random.default_rng(20240229)
    held = 0
    for _ in range(TRIALS):
        ours, theirs = read(rng, n=n, accuracy=accuracy, change=change, correlated=correlated)
        comparison = compare_lines(ours, theirs, Resampling(np.arange(n), resamples=300, seed=0))
        held += judge_set(general(comparison)).verdict == "hold"
    return held / TRIALS


@pytest.mark.parametrize("correlated", [True, False], ids=["correlated", "independent"])
@pytest.mark.parametrize("n", [100, 1000])
def test_equal_models_are_held_by_a_set_in_at_most_3_percent(n: int, correlated: bool) -> None:
    assert share_held(n=n, change=0.0, correlated=correlated) <= 0.03


@pytest.mark.parametrize("n", [100, 1000])
def test_a_loss_as_large_as_the_margin_is_held_in_about_5_percent_at_most(n: int) -> None:
    assert share_held(n=n, change=-0.02) <= 0.08


@pytest.mark.parametrize(("n", "change"), [(100, -0.25), (300, -0.13), (1000, -0.08)])
def test_what_is_forgotten_is_held_in_at_least_90_percent(n: int, change: float) -> None:
    assert share_held(n=n, change=change, correlated=False) >= 0.9
