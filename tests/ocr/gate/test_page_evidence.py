"""The gate on pages: what it takes from an evaluation, and what it says of it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from ocr.evaluation.bootstrap import Interval, Resampling
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.pages.comparison import compare_pages
from ocr.evaluation.ratio import Ratio
from ocr.gate.checks import Verdict
from ocr.gate.evidence import Evidence, collect_page_evidence
from ocr.gate.judge import Decision, judge
from ocr.reading.page_reader import PageReading
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    evaluate_scripted,
    label_pages,
    read_receipt,
    receipt,
)
from tests.ocr.gate.scenes import PAGE_RULES, found, judge_pages, take_ms

PAGES = 40
Answer = Callable[[int], PageReading]

right = read_receipt


def half_wrong(number: int) -> PageReading:
    return read_receipt(number, wrong=number % 3)


def evidence_of(ours: Answer, theirs: Answer | None, *, number: float | None = None) -> Evidence:
    report = evaluate_scripted(
        candidate=ScriptedReader("receipts:new", ours),
        opponent=ScriptedReader("rapidocr 3.10.0", theirs) if theirs else None,
        samples=label_pages([receipt(number) for number in range(PAGES)]),
        required_hmean=number,
        resamples=500,
    )
    return collect_page_evidence(
        report,
        latency=take_ms(10.0),
        size_mb=5.0,
        has_parity=True,
        was_rolled_back=False,
        overlap=None,
        second_overlap=None,
        judged_before=0,
    )


def decide(ours: Answer, theirs: Answer | None, *, number: float | None = None) -> Decision:
    return judge(evidence_of(ours, theirs, number=number), PAGE_RULES)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict", "words"),
    [
        (right, half_wrong, "promote", "It reads better: e2e Hmean 100.0% against 80.5% of rapid"),
        (half_wrong, right, "block", "It reads worse: e2e Hmean 80.5% against 100.0%"),
        (right, right, "promote", "It reads no worse"),
        (
            lambda number: read_receipt(number, wrong=3 * (number in (3, 4, 6))),
            lambda number: read_receipt(number, wrong=3 * (number in (5, 7))),
            "hold",
            "The test cannot tell",
        ),
    ],
)
def test_end_to_end_hmean_decides(
    ours: Answer, theirs: Answer, verdict: Verdict, words: str
) -> None:
    decision = decide(ours, theirs)

    assert decision.verdict == verdict
    assert words in " ".join(decision.reasons)
    assert all("lines" not in reason for reason in decision.reasons)


def test_reason_names_pages_and_bounds() -> None:
    (reason,) = decide(right, half_wrong).reasons

    assert "of rapidocr 3.10.0 on 40 pages, +19.5 points with 95% bounds +" in reason


def test_undecided_pages_say_how_many_would_decide() -> None:
    decision = decide(
        lambda number: read_receipt(number, wrong=3 * (number in (3, 4))),
        lambda number: read_receipt(number, wrong=3 * (number in (5, 7))),
    )

    assert decision.verdict == "hold"
    assert decision.samples_to_decide
    assert decision.samples_to_decide > PAGES


def test_detection_that_is_provably_worse_blocks_what_reads_better() -> None:
    decision = decide(partial(read_receipt, missed=1), lambda number: read_receipt(number, wrong=3))

    assert decision.verdict == "block"
    assert "worse in another way: detection Hmean 88.9% against 100.0%" in " ".join(
        decision.reasons
    )
    assert [check.rule for check in decision.checks][:2] == [
        "Change of e2e Hmean",
        "Change of detection Hmean",
    ]


@pytest.mark.parametrize(("number", "verdict"), [(0.5, "promote"), (0.95, "block")])
def test_required_number_is_compared_with(number: float, verdict: Verdict) -> None:
    decision = decide(half_wrong, None, number=number)

    assert decision.verdict == verdict
    assert f"against the required {number:.1%} on 40 pages" in decision.reasons[0]


@pytest.mark.parametrize(("theirs", "number"), [(half_wrong, None), (None, 0.01)])
def test_two_pages_are_too_few(theirs: Answer | None, number: float | None) -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("receipts:new", right),
        opponent=ScriptedReader("receipts:old", theirs) if theirs else None,
        samples=label_pages([receipt(0), receipt(1)]),
        required_hmean=number,
        resamples=500,
    )

    decision = judge_pages(report)

    assert decision.verdict == "hold"
    assert decision.reasons[0].startswith("2 pages are too few to tell: 5 are needed.")


def test_floor_is_that_of_the_hmean() -> None:
    decision = judge(evidence_of(half_wrong, None), replace(PAGE_RULES, min_accuracy=0.9))

    assert decision.verdict == "block"
    assert "E2e Hmean 80.5% is below the floor 90.0%" in decision.reasons[0]


def test_a_floor_that_a_few_pages_missed_alike_is_not_proven() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("receipts:new", lambda number: read_receipt(number, wrong=1)),
        opponent=None,
        samples=label_pages([receipt(number) for number in range(2)]),
        resamples=500,
    )
    bounds = report.candidate.intervals["e2e_hmean"]

    decision = judge_pages(report, replace(PAGE_RULES, min_accuracy=bounds.value + 0.05))

    assert bounds.lower < bounds.value < bounds.upper
    assert decision.verdict == "hold"


def test_reader_judged_against_itself_is_promoted() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("receipts:1", right),
        opponent=ScriptedReader("receipts:1", right),
        samples=label_pages([receipt(0), receipt(1)]),
        resamples=200,
    )

    decision = judge_pages(report)

    assert decision.verdict == "promote"
    assert "itself" in decision.reasons[0]


@pytest.mark.parametrize(
    ("change", "verdict", "at_most"),
    [(0.0, "block", 0.05), (-0.03, "promote", 0.05), (0.03, "hold", 0.2)],
)
@pytest.mark.parametrize("shared", [0.6, 0.0], ids=["correlated", "independent"])
def test_wrong_answers_are_rare_on_60_pages_of_unlike_difficulty(
    change: float, verdict: Verdict, at_most: float, shared: float
) -> None:
    rng = np.random.default_rng(0)

    verdicts = [
        judge(replace(NOTHING_ELSE, comparison=draw_change(rng, change, shared)), PAGE_RULES)
        for _ in range(200)
    ]

    assert [decision.verdict for decision in verdicts].count(verdict) / 200 <= at_most


NOTHING_ELSE = replace(
    found(None), n=60, share=Interval(0.83, 0.8, 0.86), metric="e2e Hmean", unit="pages"
)


def draw_change(rng: np.random.Generator, change: float, shared: float) -> Comparison:
    """Draw what two readers read of 60 pages of 50 lines, a share of their luck in common."""
    difficulty = rng.beta(12 * 0.83, 12 * 0.17, size=(60, 1))
    luck = rng.random((60, 50))
    other = np.where(rng.random((60, 50)) < shared, luck, rng.random((60, 50)))
    ours, theirs = luck < difficulty + change, other < difficulty
    all_lines = np.full(60, 100.0)
    return compare_pages(
        Ratio(2.0 * ours.sum(axis=1), all_lines),
        Ratio(2.0 * theirs.sum(axis=1), all_lines),
        Resampling(np.arange(60), resamples=500, seed=0),
        lines=(ours.ravel().astype(float), theirs.ravel().astype(float)),
    )
