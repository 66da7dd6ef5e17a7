"""Ask a person about an accepted candidate, unless the same comparison was answered before."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from configs.people.approval import ApprovalParams
from ocr.errors import StoreUnavailable
from ocr.gate.approval import Answer, approval_key, find_answer, keep_answer
from ocr.models.alias import AliasState, now
from ocr.models.key import version_key
from ocr.report.summary import render_question
from ocr.store import Store
from ocr.store.folder import mark_used
from tasks.approving.form import ApprovalForm
from tasks.approving.pause import Question, wait_for_person
from tasks.approving.process import name_process
from tasks.approving.waiting import UNTIL, Waiting, find_asking
from tasks.notifying.notify import link_to
from tasks.notifying.occasions import tell_judgement, tell_question
from tasks.references import EvaluationRef, JudgementRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace

AWAY_S = 3600.0
"""How long a store may be away when somebody has answered."""
POLL_S = 5.0
VERDICTS = {"reject": "rejected", "time-out": "not approved"}


class AskedAlready(Exception):
    """Another run waits for the answer to the same question."""

    def __init__(self, waiting: Waiting) -> None:
        super().__init__(
            f"run {waiting.run} asks about the same comparison already and goes on with its answer"
        )


def seek_approval(
    evaluation: EvaluationRef,
    judgement: JudgementRef,
    params: ApprovalParams,
    *,
    evaluate: Callable[[], EvaluationRef],
    judge: Callable[[EvaluationRef], JudgementRef],
) -> tuple[EvaluationRef, JudgementRef]:
    """Return what is to be deployed: as it was judged, with what a person said of it.

    An approval is for the comparison that was shown. If the champion moves meanwhile, the question
    is withdrawn and the candidate measured and judged anew, beside the new one.

    Args:
        evaluation: Of the candidate.
        judgement: Of the gate; only an accepted candidate is asked about.
        params: Whether to ask, and how long.
        evaluate: Measures the candidate beside whom is champion then.
        judge: Asks the gate.
    """
    workspace = open_workspace()
    while params.needed and judgement.accepted:
        champion = workspace.registry.read_alias(evaluation.model.name)
        if champion and champion.version == evaluation.model.version:
            narrate("approve", f"{evaluation.model.reference} is champion already")
            break
        if _is_outdated(champion, evaluation):
            narrate("approve", "the champion moved since; the candidate is judged anew")
            evaluation = evaluate()
            judgement = judge(evaluation)
            continue
        try:
            answer = _ask(workspace, evaluation, judgement, params, champion)
        except AskedAlready as other:
            narrate("approve", str(other))
            reasons = (f"{other}.".capitalize(), *judgement.reasons)
            asked = replace(judgement, verdict="hold", accepted=False, reasons=reasons)
            return evaluation, asked
        if answer is not None:
            followed = _follow(judgement, answer)
            tell_judgement(evaluation.model.reference, followed)
            return evaluation, followed
    return evaluation, judgement


def _follow(judgement: JudgementRef, answer: Answer) -> JudgementRef:
    said = answer.describe()
    narrate("approve", said)
    if answer.is_yes:
        return replace(judgement, answer=answer)
    return replace(
        judgement,
        verdict=VERDICTS[answer.choice],
        accepted=False,
        reasons=(f"{said}.".replace("..", "."), *judgement.reasons),
        answer=answer,
    )


def _is_outdated(champion: AliasState | None, evaluation: EvaluationRef) -> bool:
    found = (champion.version or None) if champion else None
    return found != evaluation.champion


def _ask(
    workspace: Workspace,
    evaluation: EvaluationRef,
    judgement: JudgementRef,
    params: ApprovalParams,
    champion: AliasState | None,
) -> Answer | None:
    """Return what a person says, or said before; None: the champion moved meanwhile.

    Raises:
        AskedAlready: Another run waits for the same answer.
    """
    moves = champion.moves if champion else ()
    key = approval_key(evaluation.key, judged_by=evaluation.judged_by, moves=moves)
    kept = find_answer(workspace.store, key)
    if kept is not None:
        narrate("approve", f"the same comparison was answered on {kept.at}")
        return kept

    comparison = f"{workspace.store.uri} {key}"
    # One that soon comes to its end would leave the question to nobody.
    if asking := find_asking(comparison, least_left=timedelta(hours=params.timeout_h / 2)):
        raise AskedAlready(asking)

    def has_moved() -> bool:
        # Opened anew: a store that is gone is refused, and not one without a champion.
        found = open_workspace().registry.read_alias(evaluation.model.name)
        return (found.moves if found else ()) != moves

    marked = set[date]()

    def is_settled() -> bool:
        try:
            if (day := today()) not in marked:
                _mark_asked(workspace.store, evaluation)
                marked.add(day)
            return has_moved() or find_answer(workspace.store, key) is not None
        except StoreUnavailable:  # it waits for days; asked again when it matters
            return False

    form = wait_for_person(
        _word(evaluation, judgement, params, comparison=comparison),
        is_outdated=is_settled,
        on_wait=lambda run_id: _say_where(run_id, evaluation, judgement),
    )
    answer = _answer_of(form, evaluation, timeout_h=params.timeout_h)

    def settle() -> Answer | None:
        if has_moved():
            return None
        # Where nobody answered: of another run that asked the same.
        kept = None if form else find_answer(workspace.store, key)
        return kept or keep_answer(workspace.store, key, answer)

    return _once_there(settle)


def _answer_of(form: ApprovalForm | None, evaluation: EvaluationRef, *, timeout_h: float) -> Answer:
    told = {"model": evaluation.model.reference, "champion": evaluation.champion or ""}
    if form is None:
        reason = f"the champion stays after {timeout_h:g} h"
        return Answer("time-out", by="", reason=reason, at=now(), **told)
    return Answer(form.decision, by=form.name.strip(), reason=form.reason.strip(), at=now(), **told)


def _once_there(settle: Callable[[], Answer | None]) -> Answer | None:
    """Settle a question for which a person was waited for, though the store be away for a while."""
    give_up, is_told = time.monotonic() + AWAY_S, False
    while True:
        try:
            return settle()
        except StoreUnavailable as error:
            if time.monotonic() > give_up:
                raise
            if not is_told:
                narrate("approve", f"the answer is kept once the store is back: {error}")
            is_told = True
        time.sleep(POLL_S)


def _mark_asked(store: Store, evaluation: EvaluationRef) -> None:
    """Let nobody prune what is asked about, for another day."""
    model = evaluation.model
    asked = (version_key(model.name, model.version), evaluation.key, *evaluation.judged_by)
    for prefix in asked:
        mark_used(store, prefix=prefix)


def today() -> date:
    """Return the day in UTC."""
    return datetime.now(UTC).date()


def _word(
    evaluation: EvaluationRef, judgement: JudgementRef, params: ApprovalParams, *, comparison: str
) -> Question:
    until = datetime.now(UTC) + timedelta(hours=params.timeout_h)
    said_until = until.strftime(UNTIL)
    if judgement.summary is None:
        raise ValueError(f"{judgement.report} has no summary to show")
    text = render_question(
        judgement.summary,
        model=evaluation.model.reference,
        verdict=judgement.verdict,
        reasons=judgement.reasons,
        report=judgement.report,
        until=said_until,
    )
    facts = {
        "model": evaluation.model.reference,
        "champion": evaluation.champion or "",
        "reason": judgement.reasons[0],
        "report": judgement.report,
        "until": said_until,
        "process": name_process(),
        "comparison": comparison,
    }
    return Question(text=text, facts=facts, seconds=params.timeout_h * 3600)


def _say_where(run_id: str, evaluation: EvaluationRef, judgement: JudgementRef) -> None:
    name = evaluation.model.name
    page = link_to(run_id, report=run_id)
    narrate("approve", f"waits for a person: {page}, Resume in its menu (⋮)")
    narrate("approve", f"or: ocrline approve {name} --by NAME --reason WHY; or: ocrline reject …")
    tell_question(evaluation, judgement, run_id)
