"""The rule by which a candidate replaces the champion; its reasons: docs/adr/0004-gate.md."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from scipy.special import ndtri

from ocr.evaluation.bootstrap import FEWEST_GROUPS
from ocr.evaluation.comparison import BOUND_CONFIDENCE
from ocr.evaluation.latency import Latency
from ocr.gate.checks import STRICTEST, Check, Verdict, check_all, relative_drop
from ocr.gate.evidence import Evidence, FurtherSet
from ocr.gate.further import JudgedSet, judge_set
from ocr.gate.rules import GateRules

# A promised number of samples decides in this share of tests, if the change stays as observed.
_POWER = 0.8


@dataclass(frozen=True)
class Decision:
    """The gate's answer; the verdict is that of the strictest check.

    Attributes:
        verdict: ``promote``, ``hold`` (cannot tell, or a person should look) or ``block``.
        reasons: Plain sentences with numbers: of the checks that failed, those that the verdict
            comes from first; else of all that decide.
        checks: Every rule with what was found.
        latency: How long an image took when this was decided.
        further: The further test sets.
        samples_to_decide: About how many test samples would tell, if the change stays as observed;
            None where more would not help.
    """

    verdict: Verdict
    reasons: list[str]
    checks: list[Check]
    latency: Latency
    further: Sequence[JudgedSet] = ()
    samples_to_decide: int | None = None

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the comparison, whatever the verdict."""
        return [check.warning for check in self.checks if check.warning]

    @property
    def accepted(self) -> bool:
        """Whether the candidate may replace the champion."""
        return self.verdict == "promote"


def judge(evidence: Evidence, rules: GateRules, further: Iterable[FurtherSet] = ()) -> Decision:
    """Decide on a candidate; pure arithmetic on what the evaluation found."""
    sets = [judge_set(found) for found in further]
    checks = [*check_all(evidence, rules), *(check for each in sets for check in each.checks)]
    strictest_first = sorted(checks, key=lambda check: STRICTEST[check.verdict])
    verdict = strictest_first[0].verdict
    failed = [check.reason for check in strictest_first if not check.passed]
    return Decision(
        verdict=verdict,
        reasons=failed or [check.reason for check in checks if check.reason],
        checks=checks,
        latency=evidence.latency,
        further=sets,
        samples_to_decide=_samples_to_decide(evidence, rules) if verdict == "hold" else None,
    )


def _samples_to_decide(evidence: Evidence, rules: GateRules) -> int | None:
    """Return the samples at which the observed change would be told in four of five tests."""
    change = evidence.comparison
    if change is None or change.groups < FEWEST_GROUPS or evidence.is_opponent:
        return None
    drop_is_allowed = relative_drop(change) <= rules.max_relative_drop
    distances = [change.change + rules.margin] if drop_is_allowed else []
    distances = [d for d in [*distances, -change.change] if d > 0]
    if not distances or (change.lower > -rules.margin and drop_is_allowed):
        return None
    z, z_power, distance = float(ndtri(BOUND_CONFIDENCE)), float(ndtri(_POWER)), max(distances)
    error = (change.upper - change.lower) / (2 * z)
    # A paired Wald interval adds a gain and a loss, however many samples there are.
    added = 2 / (2 + change.gained + change.lost) if change.kind == "paired" else 0.0

    def decide(n: int) -> bool:
        share = (change.n + 2) / (n + 2)
        varies = error**2 * (1 - added) * share
        bound = sqrt(varies + error**2 * added * share**2)
        return z * bound + z_power * sqrt(varies) < distance

    most = ceil((change.n + 2) * ((z + z_power) * error / distance) ** 2)
    more = range(change.n + 1, most)
    return change.n + 1 + bisect_left(more, True, key=decide)
