"""Further test sets, which a candidate must not have forgotten (docs/adr/0008-further-sets.md)."""

from collections.abc import Iterator
from dataclasses import dataclass

from ocr.evaluation.bootstrap import FEWEST_GROUPS
from ocr.gate.checks import (
    STRICTEST,
    Check,
    Verdict,
    check_overlap,
    explain_floor,
    floor_verdict,
    is_worse,
)
from ocr.gate.evidence import FurtherSet
from ocr.gate.words import describe_both, describe_change, explain_few, signed


@dataclass(frozen=True)
class JudgedSet:
    """A further set with its checks."""

    found: FurtherSet
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Verdict:
        """That of the strictest check."""
        return min((check.verdict for check in self.checks), key=STRICTEST.__getitem__)


def judge_set(found: FurtherSet) -> JudgedSet:
    """Check every rule of a further set."""
    return JudgedSet(found, (_check_change(found), _check_floor(found), *_check_overlaps(found)))


def _check_change(found: FurtherSet) -> Check:
    """Hold what is provably worse by more than the margin: a person should weigh the loss."""
    rule = f"“{found.name}”: change of {found.metric}"
    required = f"not provably below {signed(-found.margin)}"
    change = found.comparison
    if change is None:
        return Check(rule, "nothing to forget", required, "promote", "")
    if change.groups < FEWEST_GROUPS:
        few = explain_few(found, change)
        warning = f"What is lost on the further set “{found.name}” holds nobody back: {few}."
        return Check(rule, describe_change(change), required, "promote", "", warning)
    if not (is_worse(change) and change.upper < -found.margin):
        return Check(rule, describe_change(change), required, "promote", "")
    numbers = describe_both(found, found.metric, change)
    allowed = f"{100 * found.margin:.1f} points may be lost"
    reason = f"It is provably worse on the further set “{found.name}”: {numbers}; {allowed}."
    return Check(rule, describe_change(change), required, "hold", reason)


def _check_floor(found: FurtherSet) -> Check:
    verdict = floor_verdict(found.share, found.floor)
    on = f"{found.metric} {found.share.value:.1%} on the further set “{found.name}”"
    reason = f"Its {on} is below the floor {found.floor:.1%}"
    return Check(
        rule=f"“{found.name}”: floor of {found.metric}",
        found=f"{found.share.value:.1%}",
        required=f"at least {found.floor:.1%}",
        verdict=verdict,
        reason=explain_floor(reason, verdict, share=found.share, n=f"{found.n} {found.unit}"),
    )


def _check_overlaps(found: FurtherSet) -> Iterator[Check]:
    """Warn of versions that learnt from the set: it says little of what they would forget."""
    for version, overlap in found.overlaps.items():
        yield check_overlap(
            overlap,
            rule=f"“{found.name}”: training of {version}",
            learner=version,
            of=f"{found.n} {found.unit} of the further set “{found.name}”",
            looks="it looks better there than it is",
        )
