"""Evaluations before the gate, by the rules that a preset begins with."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from configs.gate import LineGateParams, PageGateParams
from ocr.evaluation.bootstrap import Codes, Resampling, wilson
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.latency import Latency, ReadingTime
from ocr.evaluation.lines.comparison import compare_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.ratio import Values
from ocr.evaluation.slices import SliceReport
from ocr.gate.evidence import Evidence, FurtherSet, collect_line_evidence, collect_page_evidence
from ocr.gate.judge import Decision, judge
from ocr.gate.rules import GateRules

LINE_RULES = GateRules(**LineGateParams().model_dump())
PAGE_RULES = GateRules(min_accuracy=0.0, **PageGateParams().model_dump(exclude={"min_hmean"}))


def judge_lines(report: LinesReport, rules: GateRules = LINE_RULES) -> Decision:
    evidence = collect_line_evidence(
        report,
        latency=take_ms(10.0),
        size_mb=3.0,
        has_parity=True,
        was_rolled_back=False,
        overlap=None,
        judged_before=0,
    )
    return judge(evidence, rules)


def judge_pages(report: PagesReport, rules: GateRules = PAGE_RULES) -> Decision:
    evidence = collect_page_evidence(
        report,
        latency=take_ms(10.0),
        size_mb=3.0,
        has_parity=True,
        was_rolled_back=False,
        overlap=None,
        second_overlap=None,
        judged_before=0,
    )
    return judge(evidence, rules)


def take_ms(candidate_ms: float) -> Latency:
    """Measure a candidate that takes so long, half as long again as its opponent."""
    return Latency(
        candidate=ReadingTime(candidate_ms, p95_ms=2 * candidate_ms),
        opponent=ReadingTime(candidate_ms / 1.5, p95_ms=candidate_ms),
        ratio=1.5,
        images=40,
        machine="a processor, 2 processors, load 0.5",
        measured="2026-11-22T08:00:00+00:00",
    )


RULES = LINE_RULES


def compare(*, candidate: float, opponent: float, lower: float, upper: float) -> Comparison:
    gained = 30
    return Comparison(
        kind="paired",
        n=1000,
        groups=1000,
        candidate=candidate,
        opponent=opponent,
        change=candidate - opponent,
        lower=lower,
        upper=upper,
        gained=gained,
        lost=gained - round(1000 * (candidate - opponent)),
        p_value=0.001 if upper < 0 or lower > 0 else 0.5,
    )


def found(
    comparison: Comparison | None, *, right: int = 900, slices: list[SliceReport] | None = None
) -> Evidence:
    return Evidence(
        n=1000,
        share=wilson(right, 1000),
        comparison=comparison,
        slices=slices or [],
        latency=take_ms(10.0),
        size_mb=5.0,
        has_parity=True,
        opponent="the champion",
        is_opponent=False,
        was_rolled_back=False,
        metric="accuracy",
        unit="lines",
        overlap=None,
        second_overlap=None,
        judged_before=0,
        guards={},
    )


BETTER = compare(candidate=0.90, opponent=0.87, lower=0.01, upper=0.05)


def general(comparison: Comparison | None = BETTER, **changes: Any) -> FurtherSet:
    """Return what a candidate is known to do on a further set."""
    facts: Mapping[str, Any] = {
        "name": "general",
        "n": 1000,
        "share": wilson(800, 1000),
        "other": wilson(900, 1000) if comparison else None,
        "comparison": comparison,
        "opponent": "plates:old",
        "metric": "accuracy",
        "unit": "lines",
        "margin": 0.02,
        "floor": 0.0,
        "overlaps": {},
        **changes,
    }
    return FurtherSet(**facts)


def part(
    *, right: int, n: int, gained: int = 0, lost: int = 0, p_value: float = 1.0
) -> SliceReport:
    return SliceReport(
        kind="length",
        name="1–4 characters",
        n=n,
        accuracy=wilson(right, n),
        opponent_accuracy=None,
        gained=gained,
        lost=lost,
        p_value=p_value,
    )


def judge_readings(candidate: Values, opponent: Values, *, groups: Codes | None = None) -> Decision:
    n = len(candidate)
    codes = np.arange(n) if groups is None else groups
    comparison = compare_lines(candidate, opponent, Resampling(codes, resamples=500, seed=0))
    return judge(replace(found(comparison), n=n, share=wilson(int(candidate.sum()), n)), RULES)


def read(
    rng: np.random.Generator, *, n: int, accuracy: float, change: float, correlated: bool
) -> tuple[Values, Values]:
    """Draw who reads what: errors independent, or most shared as of one recipe trained twice."""
    changed = accuracy + change
    gained, lost = (1 - accuracy) * changed, accuracy * (1 - changed)
    if correlated:
        shared = 0.6 * min(gained, lost)
        gained, lost = gained - shared, lost - shared
    kinds = rng.choice(3, size=n, p=[gained, lost, 1 - gained - lost])
    both = rng.random(n) < (accuracy - lost) / (1 - gained - lost)
    candidate = np.where(kinds == 2, both, kinds == 0)
    opponent = np.where(kinds == 2, both, kinds == 1)
    return candidate.astype(float), opponent.astype(float)
