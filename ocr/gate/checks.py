"""The rules of the gate, one by one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ocr.evaluation.bootstrap import FEWEST_GROUPS, Interval
from ocr.evaluation.comparison import Comparison, holm
from ocr.evaluation.slices import SliceReport
from ocr.gate.evidence import Evidence
from ocr.gate.overlap import Overlap
from ocr.gate.rules import GateRules
from ocr.gate.words import (
    count_samples,
    describe_both,
    describe_change,
    describe_latency,
    explain_few,
    sentence,
    signed,
)

Verdict = Literal["promote", "hold", "block"]

STRICTEST: dict[Verdict, int] = {"block": 0, "hold": 1, "promote": 2}

# Two-sided level of the tests: of equal models at most half of it is blocked.
_SIGNIFICANT = 0.05

# `python -m bench.chains`: of equal candidates the first is blocked in 4 %, the twelfth in 12 %.
_MANY_JUDGED = 10


@dataclass(frozen=True)
class Check:
    """One rule of the gate: what was found, what was required, and what follows.

    ``warning`` is what a person should know of the comparison although the rule is met.
    """

    rule: str
    found: str
    required: str
    verdict: Verdict
    reason: str
    warning: str = ""

    @property
    def passed(self) -> bool:
        """Whether the rule is met."""
        return self.verdict == "promote"


def check_all(evidence: Evidence, rules: GateRules) -> Iterator[Check]:
    """Check every rule."""
    yield _check_comparison(evidence, rules)
    for metric, change in evidence.guards.items():
        yield _check_guard(evidence, metric, change)
    yield _check_relative_drop(evidence, rules)
    yield _check_floor(evidence, rules)
    yield _check_slice_floor(evidence, rules)
    yield _check_slice_losses(evidence, rules)
    yield _check_latency(evidence, rules)
    yield _check_size(evidence, rules)
    yield _check_parity(evidence)
    yield _check_history(evidence)
    yield _check_luck(evidence)
    if evidence.overlap is not None:
        yield _check_opponent(evidence, evidence.overlap)
    if evidence.second_overlap is not None:
        yield _check_second(evidence, evidence.second_overlap)


def _check_comparison(evidence: Evidence, rules: GateRules) -> Check:
    rule = f"Change of {evidence.metric}"
    required = f"95% lower bound above {signed(-rules.margin)}"
    change = evidence.comparison
    if change is None:
        return Check(
            rule, "nothing to beat", required, "promote", "There was no champion before it."
        )
    found, numbers = describe_change(change), describe_both(evidence, evidence.metric, change)
    if evidence.is_opponent:
        reason = f"The candidate is {evidence.opponent} itself."
        return Check(rule, found, required, "promote", reason)
    if change.groups < FEWEST_GROUPS:
        few = sentence(explain_few(evidence, change))
        return Check(rule, found, required, "hold", f"{few}. It has {numbers}.")
    if is_worse(change):
        return Check(rule, found, required, "block", f"It reads worse: {numbers}.")
    if change.lower > -rules.margin:
        word = "better" if change.lower > 0 else "no worse"
        return Check(rule, found, required, "promote", f"It reads {word}: {numbers}.")
    needed = f"promotion needs the lower one above {signed(-rules.margin)}"
    reason = f"The test cannot tell: {numbers}; {needed}."
    return Check(rule, found, required, "hold", reason)


def _check_guard(evidence: Evidence, metric: str, change: Comparison) -> Check:
    rule, required = f"Change of {metric}", "not provably a loss"
    if evidence.is_opponent or not is_worse(change):
        return Check(rule, describe_change(change), required, "promote", "")
    reason = f"It is provably worse in another way: {describe_both(evidence, metric, change)}."
    return Check(rule, describe_change(change), required, "block", reason)


def _check_relative_drop(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Relative drop", f"at most {rules.max_relative_drop:.1%}"
    change = evidence.comparison
    drop = relative_drop(change)
    if change is None or drop <= rules.max_relative_drop:
        return Check(rule, f"{max(drop, 0.0):.1%}", required, "promote", "")
    verdict: Verdict = "block" if is_worse(change) else "hold"
    doubt = "" if verdict == "block" else f", which {count_samples(evidence, change)} cannot prove"
    lost = f"{drop:.1%} of the {evidence.metric} of {evidence.opponent or 'what is required'}"
    reason = f"It loses {lost}, {required}{doubt}."
    return Check(rule, f"{drop:.1%}", required, verdict, reason)


def _check_floor(evidence: Evidence, rules: GateRules) -> Check:
    share, metric = evidence.share, evidence.metric
    verdict = floor_verdict(share, rules.min_accuracy)
    rule, required = f"Floor of {metric}", f"at least {rules.min_accuracy:.1%}"
    if not share.value:  # an opponent may read nothing either
        above = "above 0.0%" if not rules.min_accuracy else required
        return Check(rule, "0.0%", above, "block", "It reads nothing of the test right.")
    reason = f"{sentence(metric)} {share.value:.1%} is below the floor {rules.min_accuracy:.1%}"
    return Check(
        rule=rule,
        found=f"{share.value:.1%}",
        required=required,
        verdict=verdict,
        reason=explain_floor(reason, verdict, share=share, n=f"{evidence.n} {evidence.unit}"),
    )


def _check_slice_floor(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Floor of every slice", f"at least {rules.min_slice_accuracy:.1%}"
    judged = _judged_slices(evidence, rules)
    if not judged:
        return Check(rule, "no slice is large enough", required, "promote", "")
    verdicts = {
        part.title: floor_verdict(part.accuracy, rules.min_slice_accuracy) for part in judged
    }
    worst = min(judged, key=lambda p: (STRICTEST[verdicts[p.title]], p.accuracy.value))
    reason = f"Accuracy {worst.accuracy.value:.1%} of “{worst.title}” is below the floor of slices"
    return Check(
        rule=rule,
        found=f"{worst.accuracy.value:.1%} ({worst.title}, n = {worst.n})",
        required=required,
        verdict=verdicts[worst.title],
        reason=explain_floor(
            reason, verdicts[worst.title], share=worst.accuracy, n=f"{worst.n} lines"
        ),
    )


def _check_slice_losses(evidence: Evidence, rules: GateRules) -> Check:
    rule, required = "Slices that lost", "none (Holm, 5%)"
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


def _check_latency(evidence: Evidence, rules: GateRules) -> Check:
    latency, most = evidence.latency, rules.max_latency_ms
    rule, found = "Latency, ms per image", describe_latency(evidence)
    required = f"at most {most:.1f}"
    if latency.candidate.median_ms <= most:
        return Check(rule, found, required, "promote", "")
    reason = f"{rule}: {found}; that is more than {most:.1f}."
    return Check(rule, found, required, "block", reason)


def _check_size(evidence: Evidence, rules: GateRules) -> Check:
    rule, size_mb, most = "Model size, MB", evidence.size_mb, rules.max_size_mb
    verdict: Verdict = "promote" if size_mb <= most else "block"
    reason = f"{rule}: {size_mb:.1f} is more than {most:.1f}." if verdict == "block" else ""
    return Check(rule, f"{size_mb:.1f}", f"at most {most:.1f}", verdict, reason)


def _check_parity(evidence: Evidence) -> Check:
    rule, required = "Export parity", "the same texts from every exported form"
    if evidence.has_parity:
        return Check(rule, "the same", required, "promote", "")
    reason = "An exported form reads other texts than the checkpoint."
    return Check(rule, "different", required, "block", reason)


def _check_history(evidence: Evidence) -> Check:
    reason = (
        "This version, or one of the same nets, was rolled back; promote it by hand if it should "
        "return"
    )
    return Check(
        rule="Rolled back",
        found="yes" if evidence.was_rolled_back else "no",
        required="no",
        verdict="hold" if evidence.was_rolled_back else "promote",
        reason=reason if evidence.was_rolled_back else "",
    )


def _check_luck(evidence: Evidence) -> Check:
    """Warn of a champion that is the best of many on this very test."""
    before, required = evidence.judged_before, f"fewer than {_MANY_JUDGED}"
    rule = "Other versions judged on this test"
    if before is None:
        return Check(rule, "unknown: a kept decision is damaged", required, "promote", "")
    if before < _MANY_JUDGED or evidence.comparison is None:
        return Check(rule, f"{before}", required, "promote", "")
    warning = (
        f"{before} other versions were judged on these {evidence.n} {evidence.unit}: the best of "
        "so many owes a part of what it reads here to luck. New test samples, as from new "
        "documents, tell more."
    )
    return Check(rule, f"{before}", required, "promote", "", warning=warning)


def _check_opponent(evidence: Evidence, overlap: Overlap) -> Check:
    return check_overlap(
        overlap,
        rule="Training of the opponent",
        learner=evidence.opponent,
        of=f"{evidence.n} {evidence.unit} of the test",
        looks="it looks better than it is",
    )


def _check_second(evidence: Evidence, overlap: Overlap) -> Check:
    """Hold a candidate whose second recogniser learnt from the test."""
    check = check_overlap(
        overlap,
        rule="Training of the second recogniser",
        learner="The second recogniser",
        of=f"{evidence.n} {evidence.unit} of the test",
        looks="the candidate looks better than it is",
    )
    return (
        replace(check, verdict="hold", reason=check.warning, warning="") if check.warning else check
    )


def _judged_slices(evidence: Evidence, rules: GateRules) -> list[SliceReport]:
    return [part for part in evidence.slices if part.n >= rules.min_slice_size]


def check_overlap(overlap: Overlap, *, rule: str, learner: str, of: str, looks: str) -> Check:
    """Warn of samples that somebody was trained on.

    Args:
        overlap: The samples.
        rule: What is checked.
        learner: Who was trained.
        of: All samples, counted: "100 lines of the test".
        looks: What follows of it.
    """
    if not overlap.samples:
        said = f"unknown: {overlap.unknown}" if overlap.unknown else "none"
        return Check(rule, said, f"none of the {of}", "promote", "")
    part = f"{len(overlap.samples)} of the {of}"
    warning = f"{learner} was trained on {part} ({overlap.describe()}): {looks}."
    return Check(rule, part, f"none of the {of}", "promote", "", warning=warning)


def is_worse(change: Comparison) -> bool:
    """Both must say so: the bound knows of documents, the exact test of small numbers."""
    return change.upper < 0 and change.p_value < _SIGNIFICANT


def relative_drop(change: Comparison | None) -> float:
    """Return what is lost as a share of what the opponent has; negative where it is a gain."""
    return -change.change / change.opponent if change and change.opponent > 0 else 0.0


def floor_verdict(share: Interval, floor: float) -> Verdict:
    """A share below its floor is never promoted; it blocks when chance does not explain it."""
    if share.value >= floor:
        return "promote"
    return "block" if share.upper < floor else "hold"


def explain_floor(reason: str, verdict: Verdict, *, share: Interval, n: str) -> str:
    """End the reason of a floor that was not reached: proven, or not by so few; empty if it was."""
    if verdict == "promote":
        return ""
    if verdict == "block":
        return f"{reason}, and so is its 95% upper bound {share.upper:.1%}."
    return f"{reason}, but {n} do not prove it (95% upper bound {share.upper:.1%})."
