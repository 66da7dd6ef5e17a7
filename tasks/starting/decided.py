"""What the gate has decided on that needs no other retraining."""

import time
from datetime import datetime
from itertools import pairwise

from ocr.lineage.decision import KeptDecision, read_decisions, was_rejected
from ocr.models.alias import AliasState
from ocr.store import Store
from tasks.approving.waiting import list_waiting


def find_decided(
    store: Store, model: str, champion: AliasState | None, *, since: float, patience_s: float
) -> list[KeptDecision]:
    """Return what was decided beside the champion of now, but for what came to nothing.

    That is an accepted version that neither went online nor was rejected nor waits for a person:
    its deployment failed, nobody answered in time, or its run was killed. The last decision on a
    version says whether it was accepted.

    Args:
        store: Where decisions are kept.
        model: Name of the model.
        champion: Of the model; None: it has none.
        since: The last event that started a retraining (epoch, s).
        patience_s: So long after it, and after its decision, a version may go online yet.
    """
    beside, moves = (champion.version, champion.moves) if champion else ("", ())
    decided = [each for each in read_decisions(store, model) if each.champion == beside]
    online = {beside} | {after for before, after in pairwise(moves) if before == beside}
    lost = {
        version
        for version, last in {each.version: each for each in decided}.items()
        if last.verdict == "promote"
        and version not in online
        and time.time() - max(since, moment_of(last)) > patience_s
        and not was_rejected(store, last)
        and not (champion and champion.was_rolled_back(version))
    }
    waiting = {each.model for each in list_waiting() if not each.has_ended} if lost else ()
    return [d for d in decided if d.version not in lost or f"{model}:{d.version}" in waiting]


def moment_of(decision: KeptDecision) -> float:
    """Return when it was made (epoch, s)."""
    return datetime.fromisoformat(decision.at).timestamp()
