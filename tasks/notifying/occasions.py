"""What a judgement, a question or a move of an alias gives to tell."""

from configs.people.notifications import EventKind
from ocr.models.alias import AliasState
from tasks.notifying.notice import Notice
from tasks.notifying.notify import current_run, link_to, notify
from tasks.references import EvaluationRef, JudgementRef

_OF_VERDICT: dict[str, EventKind] = {
    "block": "refusal",
    "hold": "hold",
    "rejected": "rejection",
    "not approved": "rejection",
}


def tell_judgement(model: str, judgement: JudgementRef) -> None:
    """Tell that a candidate does not go online; of one that does, its promotion tells."""
    kind = _OF_VERDICT.get(judgement.verdict)
    if kind is not None:
        _tell_candidate(kind, model, judgement, event=current_run() or judgement.report)


def tell_question(evaluation: EvaluationRef, judgement: JudgementRef, run: str) -> None:
    """Tell that a candidate waits for a person."""
    event = f"{run}:{evaluation.key}:{evaluation.champion}"
    _tell_candidate("approval-needed", evaluation.model.reference, judgement, event=event)


def tell_move(
    state: AliasState, judgement: JudgementRef | None = None, *, evaluation: str = ""
) -> None:
    """Tell of the last move of a champion, if it is one of this call or by this evaluation.

    One whose run was killed after it is told by the run that follows; nobody hears it twice.
    """
    move = state.history[-1]
    if not state.has_moved and not (evaluation and move.evaluation == evaluation):
        return
    kind: EventKind = "promotion" if move.action == "promote" else "rollback"
    approval = f"{move.approved_by}: {move.approval_reason}" if move.approved_by else ""
    notify(
        Notice(
            kind=kind,
            model=f"{state.name}:{move.version}",
            id=f"{kind}:{state.name}:{move.version}:{move.at}",
            why=move.reason,
            who=approval or move.by,
            summary=judgement.summary if judgement else None,
            link=link_to(current_run(), report=judgement.report if judgement else ""),
        )
    )


def _tell_candidate(kind: EventKind, model: str, judgement: JudgementRef, *, event: str) -> None:
    answer = judgement.answer
    notify(
        Notice(
            kind=kind,
            model=model,
            id=f"{kind}:{event}",
            why=judgement.reasons[0],
            who=answer.by if answer else "",
            summary=judgement.summary,
            link=link_to(current_run(), report=judgement.report),
        )
    )
