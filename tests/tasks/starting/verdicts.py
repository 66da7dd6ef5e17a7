"""What the gate said of a candidate v2 of bars."""

from ocr.gate.checks import Verdict
from ocr.lineage.decision import KeptDecision, keep_decision
from ocr.store import Store


def keep_verdict(
    store: Store, verdict: Verdict, *, year: int, champion: str, dataset: str = "datasets/bars/1"
) -> None:
    """Keep a decision of the first day of a year."""
    decision = KeptDecision(
        model="bars",
        version="v2",
        at=f"{year}-01-01T00:00:00+00:00",
        verdict=verdict,
        reasons=(f"It was told to {verdict}.",),
        opponent=f"bars:{champion}" if champion else "",
        champion=champion,
        dataset=dataset,
        test_set="t",
        samples=1,
        metrics={},
        opponent_metrics={},
        latency_ms=1.0,
        evaluation="evaluations/v2",
        report="reports/v2/0.html",
    )
    keep_decision(store, decision)
