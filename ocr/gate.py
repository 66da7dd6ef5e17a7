"""The rule by which a candidate replaces the champion; its reasons: docs/adr/0004-gate.md."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from scipy.special import ndtri

from ocr.evaluation.bootstrap import Interval, wilson
from ocr.evaluation.comparison import BOUND_CONFIDENCE, Comparison, holm
from ocr.evaluation.evaluation_report import EvaluationReport
from ocr.evaluation.slices import SliceReport

Verdict = Literal["promote", "hold", "block"]

# Two-sided level of the exact tests: of equal models at most half of it is blocked.
_SIGNIFICANT = 0.05
# A promised number of samples decides in this share of tests, if the change stays as observed.
_POWER = 0.8

_STRICTEST: dict[Verdict, int] = {"block": 0, "hold": 1, "promote": 2}


@dataclass(frozen=True)
class GateRules:
    """What a candidate must meet; the fields are those of configs/gate.py."""

    margin: float = 0.015
    max_relative_drop: float = 0.02
    min_accuracy: float = 0.0
    min_slice_accuracy: float = 0.0
    min_slice_size: int = 20
    max_latency_ms: float = 1000.0
    max_size_mb: float = 500.0


@dataclass(frozen=True)
class Evidence:
    """What is known of a candidate.

    Attributes:
        n: Test lines; ``right``: how many the candidate read exactly.
        comparison: The change against champion or baseline; None: there is nothing to beat.
        slices: Parts of the test set.
        latency_ms: Median of one image read alone; ``size_mb``: of the served model.
        has_parity: Whether every exported form reads as the checkpoint does.
        opponent: What the candidate is compared with, in words ("the champion plates:1f3a").
        is_opponent: The candidate is that very model.
        was_rolled_back: Somebody took this very version out of service.
    """

    n: int
    right: int
    comparison: Comparison | None
    slices: Sequence[SliceReport]
    latency_ms: float
    size_mb: float
    has_parity: bool
    opponent: str = "the champion"
    is_opponent: bool = False
    was_rolled_back: bool = False


@dataclass(frozen=True)
class Check:
    """One rule of the gate: what was found, what was required, and what follows."""

    rule: str
    found: str
    required: str
    verdict: Verdict
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the rule is met."""
        return self.verdict == "promote"


@dataclass(frozen=True)
class Decision:
    """The gate's answer; the verdict is that of the strictest check.

    Attributes:
        verdict: ``promote``, ``hold`` (cannot tell, or a person should look) or ``block``.
        reasons: Plain sentences with numbers: of the checks that failed, else of all that decide.
        checks: Every rule with what was found.
        samples_to_decide: About how many test lines would tell, if the change stays as observed;
            None where more lines would not help.
    """

    verdict: Verdict
    reasons: list[str]
    checks: list[Check]
    samples_to_decide: int | None = None

    @property
    def accepted(self) -> bool:
        """Whether the candidate may replace the champion."""
        return self.verdict == "promote"


def collect_evidence(
    report: EvaluationReport,
    *,
    size_mb: float,
    has_parity: bool,
    opponent: str = "",
    was_rolled_back: bool = False,
) -> Evidence:
    """Take from an evaluation what the gate looks at.

    Args:
        report: The evaluation.
        size_mb: Megabytes of the served model.
        has_parity: Whether every exported form reads as the checkpoint does.
        opponent: What the candidate is compared with; empty: the name of the report's baseline.
        was_rolled_back: Somebody took this very version out of service.
    """
    metrics, baseline = report.candidate.metrics, report.baseline
    return Evidence(
        n=metrics.n,
        right=round(metrics.accuracy * metrics.n),
        comparison=report.comparison,
        slices=report.slices,
        latency_ms=report.candidate.latency.single_ms,
        size_mb=size_mb,
        has_parity=has_parity,
        opponent=opponent or (baseline.name if baseline else "the required accuracy"),
        is_opponent=baseline is not None and baseline.name == report.candidate.name,
        was_rolled_back=was_rolled_back,
    )


def judge(evidence: Evidence, rules: GateRules) -> Decision:
    """Decide on a candidate; pure arithmetic on what the evaluation found."""
    checks = list(_check_all(evidence, rules))
    verdict = min((check.verdict for check in checks), key=_STRICTEST.__getitem__)
    failed = [check.reason for check in checks if not check.passed]
    return Decision(
        verdict=verdict,
        reasons=failed or [check.reason for check in checks if check.reason],
        checks=checks,
        samples_to_decide=_samples_to_decide(evidence, rules) if verdict == "hold" else None,
    )


def _check_all(evidence: Evidence, rules: GateRules) -> Iterator[Check]:
    yield _check_comparison(evidence, rules)
    yield _check_relative_drop(evidence, rules)
    yield _check_floor(evidence, rules)
    yield _check_slice_floor(evidence, rules)
    yield _check_slice_losses(evidence, rules)
    yield _check_most("Latency, ms per image", evidence.latency_ms, rules.max_latency_ms)
    yield _check_most("Model size, MB", evidence.size_mb, rules.max_size_mb)
    yield _check_parity(evidence)
    yield _check_history(evidence)


def _check_comparison(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Change of accuracy", f"95% lower bound above {_signed(-rules.margin)}"
    change = evidence.comparison
    if change is None:
        return Check(rule, "nothing to beat", required, "promote", "There is no champion yet.")
    bounds = f"{_signed(change.lower)} to {_signed(change.upper)}"
    found = f"{_signed(change.change)} points ({bounds})"
    numbers = (
        f"{change.candidate:.1%} against {change.baseline:.1%} of {evidence.opponent} "
        f"on {_lines(change)}, {_signed(change.change)} points with 95% bounds {bounds}"
    )
    if evidence.is_opponent:
        reason = f"The candidate is {evidence.opponent} itself."
        return Check(rule, found, required, "promote", reason)
    if _is_worse(change):
        return Check(rule, found, required, "block", f"It reads worse: {numbers}.")
    if change.lower > -rules.margin:
        word = "better" if change.lower > 0 else "no worse"
        return Check(rule, found, required, "promote", f"It reads {word}: {numbers}.")
    needed = f"promotion needs the lower one above {_signed(-rules.margin)}"
    reason = f"The test cannot tell: {numbers}; {needed}."
    return Check(rule, found, required, "hold", reason)


def _check_relative_drop(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Relative drop", f"at most {rules.max_relative_drop:.1%}"
    change = evidence.comparison
    drop = _relative_drop(change)
    if change is None or drop <= rules.max_relative_drop:
        return Check(rule, f"{max(drop, 0.0):.1%}", required, "promote", "")
    verdict: Verdict = "block" if _is_worse(change) else "hold"
    doubt = "" if verdict == "block" else f", which {_lines(change)} cannot prove"
    reason = f"It reads {drop:.1%} fewer lines than {evidence.opponent}, {required}{doubt}."
    return Check(rule, f"{drop:.1%}", required, verdict, reason)


def _check_floor(evidence: Evidence, rules: GateRules) -> Check:
    share = wilson(evidence.right, evidence.n)
    verdict = _floor_verdict(share, rules.min_accuracy)
    reason = f"Accuracy {share.value:.1%} is below the floor {rules.min_accuracy:.1%}"
    return Check(
        rule="Floor of accuracy",
        found=f"{share.value:.1%}",
        required=f"at least {rules.min_accuracy:.1%}",
        verdict=verdict,
        reason=_explain_floor(reason, verdict, share=share, n=evidence.n),
    )


def _check_slice_floor(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Floor of every slice", f"at least {rules.min_slice_accuracy:.1%}"
    judged = _judged_slices(evidence, rules)
    if not judged:
        return Check(rule, "no slice is large enough", required, "promote", "")
    verdicts = {
        part.title: _floor_verdict(part.accuracy, rules.min_slice_accuracy) for part in judged
    }
    worst = min(judged, key=lambda p: (_STRICTEST[verdicts[p.title]], p.accuracy.value))
    reason = f"Accuracy {worst.accuracy.value:.1%} of “{worst.title}” is below the floor of slices"
    return Check(
        rule=rule,
        found=f"{worst.accuracy.value:.1%} ({worst.title}, n = {worst.n})",
        required=required,
        verdict=verdicts[worst.title],
        reason=_explain_floor(reason, verdicts[worst.title], share=worst.accuracy, n=worst.n),
    )


def _check_slice_losses(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Slices that lost", "none (exact McNemar, Holm, 5%)"
    judged = _judged_slices(evidence, rules)
    adjusted = holm([part.p_value for part in judged])
    losers = [
        f"{part.title}: {part.gained} gained, {part.lost} lost of {part.n}"
        for part, p_value in zip(judged, adjusted, strict=True)
        if part.lost > part.gained and p_value < _SIGNIFICANT
    ]
    if not losers or evidence.is_opponent:
        return Check(rule, f"none of {len(judged)}", required, "promote", "")
    reason = f"It reads parts of the test worse than {evidence.opponent} ({'; '.join(losers)})."
    return Check(rule, "; ".join(losers), required, "hold", reason)


def _check_most(rule: str, value: float, most: float) -> Check:
    verdict: Verdict = "promote" if value <= most else "block"
    reason = f"{rule}: {value:.1f} is more than {most:.1f}." if verdict == "block" else ""
    return Check(rule, f"{value:.1f}", f"at most {most:.1f}", verdict, reason)


def _check_parity(evidence: Evidence) -> Check:
    rule, required = "Export parity", "the same texts from every exported form"
    if evidence.has_parity:
        return Check(rule, "the same", required, "promote", "")
    reason = "An exported form reads other texts than the checkpoint."
    return Check(rule, "different", required, "block", reason)


def _check_history(evidence: Evidence) -> Check:
    reason = "This version was rolled back; promote it by hand if it should return"
    return Check(
        rule="Rolled back",
        found="yes" if evidence.was_rolled_back else "no",
        required="no",
        verdict="hold" if evidence.was_rolled_back else "promote",
        reason=reason if evidence.was_rolled_back else "",
    )


def _judged_slices(evidence: Evidence, rules: GateRules) -> list[SliceReport]:
    return [part for part in evidence.slices if part.n >= rules.min_slice_size]


def _is_worse(change: Comparison) -> bool:
    """Both must say so: the bound knows of documents, the exact test of small numbers."""
    return change.upper < 0 and change.p_value < _SIGNIFICANT


def _relative_drop(change: Comparison | None) -> float:
    return -change.change / change.baseline if change and change.baseline > 0 else 0.0


def _floor_verdict(share: Interval, floor: float) -> Verdict:
    """A share below its floor is never promoted; it blocks when chance does not explain it."""
    if share.value >= floor:
        return "promote"
    return "block" if share.upper < floor else "hold"


def _explain_floor(reason: str, verdict: Verdict, *, share: Interval, n: int) -> str:
    if verdict == "promote":
        return ""
    if verdict == "block":
        return f"{reason}, and so is its 95% upper bound {share.upper:.1%}."
    return f"{reason}, but {n} lines do not prove it (95% upper bound {share.upper:.1%})."


def _samples_to_decide(evidence: Evidence, rules: GateRules) -> int | None:
    """Return the lines at which the observed change would be told in four of five tests."""
    change = evidence.comparison
    if change is None or change.groups < 2 or evidence.is_opponent:
        return None
    drop_is_allowed = _relative_drop(change) <= rules.max_relative_drop
    distances = [change.change + rules.margin] if drop_is_allowed else []
    distances = [d for d in [*distances, -change.change] if d > 0]
    if not distances or (change.lower > -rules.margin and drop_is_allowed):
        return None
    z = float(ndtri(BOUND_CONFIDENCE))
    error = (change.upper - change.lower) / (2 * z)
    ratio = (z + float(ndtri(_POWER))) * error / max(distances)
    return max(change.n + 1, ceil(change.n * ratio**2))


def _lines(change: Comparison) -> str:
    documents = f" of {change.groups} documents" if change.groups < change.n else ""
    return f"{change.n} lines{documents}"


def _signed(share: float) -> str:
    """Percentage points with their sign."""
    return f"{100 * share:+.1f}".replace("-", "−")
