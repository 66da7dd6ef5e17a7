"""What waits for a person, and how it is answered without a browser."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.responses import SetStateStatus
from prefect.exceptions import PrefectHTTPStatusError
from pydantic import ValidationError

from ocr.errors import AliasMoved, ArtifactNotFound, BadInput
from ocr.gate.approval import MOST_NAME, MOST_REASON
from tasks.approving.form import ApprovalForm
from tasks.approving.pause import KEY, QUESTION
from tasks.approving.process import has_ended, lives_here

MOST = 200
UNTIL = "%Y-%m-%d %H:%M UTC"


@dataclass(frozen=True)
class Waiting:
    """A run that waits for a person.

    Attributes:
        run: Its id.
        model: NAME:VERSION that it asks about; ``champion``: the version that goes offline.
        reason: Why the gate let it through.
        report: Path of the report on the machine that runs it.
        until: When the champion stays for want of an answer.
        has_ended: Its process is gone: no answer would reach it.
        question: Names this question of this run.
        lives_here: Its process is known to wait on this machine.
        comparison: What is asked about, in which store; equal for two runs that ask the same.
    """

    run: str
    model: str
    champion: str
    reason: str
    report: str
    until: str
    has_ended: bool
    question: str
    lives_here: bool
    comparison: str

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.partition(":")[0]


def list_waiting() -> list[Waiting]:
    """List what waits for a person, the longest first."""
    paused = FlowRunFilterStateType(any_=[StateType.PAUSED])
    with get_client(sync_client=True) as client:
        runs = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=paused)), limit=MOST
        )
        found = [(run, _read_facts(client, run)) for run in runs]
    asking = [(run, facts) for run, facts in found if facts]
    asking.sort(key=lambda each: each[0].state.timestamp.isoformat() if each[0].state else "")
    return [_describe(run, facts) for run, facts in asking]


def find_waiting(reference: str) -> Waiting:
    """Find the one run that waits, by the name of its model or question or the start of its id.

    Of several that ask about one comparison it is the first that lives: its answer is that of all.

    Raises:
        ArtifactNotFound: None does; the message lists those that do.
        BadInput: Several do.
    """
    every = list_waiting()
    found = [each for each in every if reference in (each.name, each.question)]
    found = found or [each for each in every if reference and each.run.startswith(reference)]
    if not found:
        known = ", ".join(f"{each.name} ({each.run})" for each in every) or "none"
        raise ArtifactNotFound(f"Nothing waits that is {reference!r}; what waits: {known}")
    if len({each.comparison or each.run for each in found}) > 1:
        runs = ", ".join(f"{each.model}: {each.run}" for each in found)
        raise BadInput(f"Several wait that are {reference!r}, name the run: {runs}")
    return next((each for each in found if not each.has_ended), found[0])


def find_asking(comparison: str, *, least_left: timedelta = timedelta()) -> Waiting | None:
    """Find a run of this machine that asks already; of one elsewhere nobody knows if it lives.

    Args:
        comparison: What is asked about.
        least_left: How long it has to go on asking.
    """
    least = datetime.now(UTC) + least_left

    asking = (w for w in list_waiting() if w.comparison == comparison and w.lives_here)
    return next((w for w in asking if _ends(w) >= least), None)


def _ends(waiting: Waiting) -> datetime:
    return datetime.strptime(waiting.until, UNTIL).replace(tzinfo=UTC)


def answer(
    waiting: Waiting, *, decision: Literal["approve", "reject"], by: str, reason: str
) -> None:
    """Answer a run that waits.

    Raises:
        BadInput: The name or the reason is empty, too long or no plain line.
        AliasMoved: Somebody answered before, it asks about another comparison by now, or the run
            has ended.
    """
    if waiting.has_ended:
        raise AliasMoved(
            f"The process of run {waiting.run} has ended: run the same retraining again, "
            "which finds what was made and asks again"
        )
    try:
        form = ApprovalForm(decision=decision, name=by, reason=reason, question=waiting.question)
    except ValidationError as error:
        said = " and ".join(f"the {each['loc'][0]} {each['input']!r}" for each in error.errors())
        raise BadInput(
            f"An answer cannot have {said}; expected one plain line each, a name of at most "
            f"{MOST_NAME} characters, a reason of {MOST_REASON}"
        ) from None
    with get_client(sync_client=True) as client:
        try:
            result = client.resume_flow_run(UUID(waiting.run), form.model_dump())
        except PrefectHTTPStatusError as error:
            raise AliasMoved(f"Run {waiting.run} took no answer: {error}") from None
    if result.status != SetStateStatus.ACCEPT:
        said = getattr(result.details, "reason", None) or result.status.value
        raise AliasMoved(
            f"Run {waiting.run} took no answer, it may have had one or ask about another "
            f"comparison by now, see ocrline approvals: {said}"
        )


def _read_facts(client: SyncPrefectClient, run: FlowRun) -> dict[str, Any]:
    key = (run.state.state_details.pause_key if run.state else None) or ""
    if not key.startswith(f"{KEY}-"):
        return {}
    asked = f"{key}-{QUESTION}"
    found = client.filter_flow_run_input(run.id, asked, limit=1, exclude_keys=set())
    return dict(json.loads(found[0].value)) if found else {}


def _describe(run: FlowRun, facts: dict[str, Any]) -> Waiting:
    return Waiting(
        run=str(run.id),
        model=facts["model"],
        champion=facts["champion"],
        reason=facts["reason"],
        report=facts["report"],
        until=facts["until"],
        has_ended=has_ended(facts["process"]),
        question=(run.state.state_details.pause_key if run.state else None) or "",
        lives_here=lives_here(facts["process"]),
        comparison=facts.get("comparison", ""),  # which runs of releases before do not say
    )
