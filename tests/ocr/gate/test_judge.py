"""The gate: its rules one by one, then its error rates by simulation."""

from dataclasses import replace

import numpy as np
import pytest

from ocr.evaluation.bootstrap import Resampling, estimate_possible, wilson
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.lines.comparison import compare_lines_with_number
from ocr.evaluation.ratio import mean_of
from ocr.gate.checks import Verdict
from ocr.gate.evidence import Evidence
from ocr.gate.judge import judge
from ocr.gate.rules import GateRules
from tests.ocr.gate.scenes import BETTER, RULES, compare, found, judge_readings, part, take_ms

SAME = compare(candidate=0.90, opponent=0.90, lower=-0.01, upper=0.01)


WORSE = compare(candidate=0.87, opponent=0.90, lower=-0.05, upper=-0.01)


UNSURE = compare(candidate=0.895, opponent=0.90, lower=-0.03, upper=0.02)


UNSURE_DROP = compare(candidate=0.87, opponent=0.90, lower=-0.07, upper=0.01)


@pytest.mark.parametrize(
    ("comparison", "verdict", "words"),
    [
        (BETTER, "promote", "reads better"),
        (SAME, "promote", "reads no worse"),
        (WORSE, "block", "reads worse"),
        (UNSURE, "hold", "cannot tell"),
        (UNSURE_DROP, "hold", "loses 3.3% of the accuracy"),
        (None, "promote", "no champion before"),
    ],
)
def test_verdict_follows_the_bounds_of_the_change(
    comparison: Comparison | None, verdict: Verdict, words: str
) -> None:
    decision = judge(found(comparison), RULES)

    assert decision.verdict == verdict
    assert decision.accepted == (verdict == "promote")
    assert words in " ".join(decision.reasons)


def test_drop_beyond_the_rule_holds_even_where_a_wide_margin_would_promote() -> None:
    decision = judge(found(UNSURE_DROP), replace(RULES, margin=0.1))

    assert decision.verdict == "hold"


def test_bound_below_zero_does_not_block_without_the_exact_test() -> None:
    decision = judge(found(replace(WORSE, p_value=0.2)), RULES)

    assert decision.verdict == "hold"


@pytest.mark.parametrize(
    ("evidence", "rules", "verdict", "words"),
    [
        (found(None, right=0), RULES, "block", "It reads nothing of the test right"),
        (found(BETTER), replace(RULES, min_accuracy=0.95), "block", "below the floor 95.0%"),
        (found(BETTER), replace(RULES, min_accuracy=0.905), "hold", "do not prove it"),
        (
            found(BETTER, slices=[part(right=10, n=100)]),
            replace(RULES, min_slice_accuracy=0.5),
            "block",
            "10.0% of “length: 1–4 characters”",
        ),
        (
            found(BETTER, slices=[part(right=9, n=20)]),
            replace(RULES, min_slice_accuracy=0.5),
            "hold",
            "20 lines do not prove it",
        ),
        (
            found(BETTER, slices=[part(right=0, n=19)]),
            replace(RULES, min_slice_accuracy=0.5),
            "promote",
            "",
        ),
        (
            found(BETTER, slices=[part(right=50, n=100, gained=1, lost=20, p_value=1e-4)]),
            RULES,
            "hold",
            "1 gained, 20 lost of 100",
        ),
        (
            replace(found(BETTER), latency=take_ms(1200.0)),
            RULES,
            "block",
            "that is more than 1000.0",
        ),
        (replace(found(BETTER), size_mb=501.0), RULES, "block", "501.0 is more than 500.0"),
        (replace(found(BETTER), has_parity=False), RULES, "block", "An exported form"),
        (replace(found(BETTER), was_rolled_back=True), RULES, "hold", "was rolled back"),
    ],
)
def test_other_rules_stop_a_better_candidate(
    evidence: Evidence, rules: GateRules, verdict: Verdict, words: str
) -> None:
    decision = judge(evidence, rules)

    assert decision.verdict == verdict
    assert words in " ".join(decision.reasons)


def test_what_the_verdict_comes_from_is_said_first() -> None:
    decision = judge(found(UNSURE_DROP, right=0), RULES)

    assert decision.verdict == "block"
    assert decision.reasons[0] == "It reads nothing of the test right."
    assert "cannot tell" in decision.reasons[1]


@pytest.mark.parametrize(("floor", "required"), [(0.0, "above 0.0%"), (0.8, "at least 80.0%")])
def test_who_reads_nothing_is_told_what_would_do(floor: float, required: str) -> None:
    decision = judge(found(None, right=0), replace(RULES, min_accuracy=floor))

    (floors,) = [check for check in decision.checks if check.rule == "Floor of accuracy"]
    assert (floors.found, floors.required) == ("0.0%", required)


def test_every_rule_is_a_named_check() -> None:
    decision = judge(found(BETTER), RULES)

    assert [check.rule for check in decision.checks] == [
        "Change of accuracy",
        "Relative drop",
        "Floor of accuracy",
        "Floor of every slice",
        "Slices that lost",
        "Latency, ms per image",
        "Model size, MB",
        "Export parity",
        "Rolled back",
        "Other versions judged on this test",
    ]
    assert all(check.passed and check.found and check.required for check in decision.checks)


def test_champion_judged_against_itself_is_promoted() -> None:
    identical = compare(candidate=0.9, opponent=0.9, lower=-0.1, upper=0.1)

    decision = judge(replace(found(identical), is_opponent=True), RULES)

    assert decision.verdict == "promote"
    assert decision.reasons == ["The candidate is the champion itself."]


def test_no_samples_tell_the_champion_from_itself() -> None:
    identical = compare(candidate=0.9, opponent=0.9, lower=-0.1, upper=0.1)
    itself = replace(found(identical), is_opponent=True)

    held = [
        judge(replace(each, was_rolled_back=True), RULES) for each in (itself, found(identical))
    ]

    assert [decision.verdict for decision in held] == ["hold", "hold"]
    assert held[0].samples_to_decide is None
    assert held[1].samples_to_decide is not None


@pytest.mark.parametrize(
    ("n", "gained", "lost"),
    [(200, 15, 14), (100, 2, 2), (100, 1, 1), (100, 0, 0), (58, 0, 0), (20, 0, 0)],
)
def test_undecided_change_says_how_many_samples_would_decide(
    n: int, gained: int, lost: int
) -> None:
    rng = np.random.default_rng(0)
    kinds = [gained, lost, n * 3 // 4, n - n * 3 // 4 - gained - lost]
    candidate = np.repeat([1.0, 0.0, 1.0, 0.0], kinds)
    opponent = np.repeat([0.0, 1.0, 1.0, 0.0], kinds)

    undecided = judge_readings(candidate, opponent)
    promised = undecided.samples_to_decide
    assert promised is not None
    shares = [
        sum(
            judge_readings(candidate[drawn], opponent[drawn]).verdict == "promote"
            for drawn in rng.integers(n, size=(100, samples))
        )
        for samples in (promised, promised * 9 // 10 if not gained else promised // 2)
    ]

    assert undecided.verdict == "hold"
    assert shares[0] >= 70
    assert shares[1] < 70


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        (1, "1 document is too few to tell: 5 are needed. It has accuracy 100.0% against 0.0% of"),
        (3, "3 documents are too few to tell: 5 are needed. It has accuracy 100.0% against 0.0%"),
    ],
)
def test_samples_of_few_documents_decide_nothing(documents: int, words: str) -> None:
    right, wrong = np.ones(60), np.zeros(60)

    better, worse = (
        judge_readings(ours, theirs, groups=np.arange(60) % documents)
        for ours, theirs in ((right, wrong), (wrong, right))
    )

    assert (better.verdict, better.samples_to_decide) == ("hold", None)
    assert better.reasons[0].startswith(words)
    assert "Change of accuracy" in {check.rule for check in worse.checks if not check.passed}
    assert "It reads worse" not in " ".join(worse.reasons)


def test_lines_without_documents_are_too_few_themselves() -> None:
    decision = judge_readings(np.ones(4), np.zeros(4))

    assert decision.reasons[0].startswith("4 lines are too few to tell: 5 are needed.")


def test_a_floor_that_few_documents_missed_is_not_proven() -> None:
    shares = np.repeat([1.0, 0.0, 1.0, 0.0], [700, 300, 740, 260])
    share = estimate_possible(mean_of(shares), Resampling(np.repeat([0, 1], 1000), 500, seed=0))

    decision = judge(replace(found(None), share=share), replace(RULES, min_accuracy=0.78))

    assert decision.verdict == "hold"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (9, []),
        (10, ["10 other versions were judged on these 1000 lines: the best of so many owes"]),
        (None, []),
    ],
)
def test_the_luck_of_many_versions_on_one_test_is_said_and_decides_nothing(
    before: int | None, words: list[str]
) -> None:
    decision = judge(replace(found(BETTER), judged_before=before), RULES)

    assert [each[: len(said)] for each, said in zip(decision.warnings, words, strict=True)] == words
    assert decision.verdict == "promote"


@pytest.mark.parametrize(("n", "verdict"), [(100, "hold"), (400, "promote")])
def test_identical_readings_are_promoted_once_the_test_is_large_enough(
    n: int, verdict: Verdict
) -> None:
    right = np.ones(n)

    decision = judge_readings(right, right)

    assert decision.verdict == verdict


@pytest.mark.parametrize(
    ("right", "required", "verdict"),
    [(990, 0.95, "promote"), (900, 0.95, "block"), (188, 0.95, "hold")],
)
def test_required_number_is_compared_with_one_sample(
    right: int, required: float, verdict: Verdict
) -> None:
    n = 1000 if right > 200 else 200
    correct = np.concatenate([np.ones(right), np.zeros(n - right)])
    comparison = compare_lines_with_number(
        correct, required, Resampling(np.arange(n), resamples=500, seed=0)
    )

    decision = judge(replace(found(comparison), n=n, share=wilson(right, n)), RULES)

    assert decision.verdict == verdict
