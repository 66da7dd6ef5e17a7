"""A flow run that waits for a person: ours to end, so that a late answer fails nothing.

Prefect's own `pause_flow_run` fails the run when nobody answers in time. Here the server's limit
lies an hour later, for runs whose process is gone; until then this process looks every few
seconds, also through a restart of the server, and resumes its own run when the time is up.
"""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.exceptions import Abort, PrefectHTTPStatusError
from prefect.input.run_input import keyset_from_paused_state
from prefect.states import Paused, Running
from prefect.utilities.engine import propose_state_sync
from pydantic import ValidationError

from tasks.approving.form import ApprovalForm, form_of
from tasks.run.narration import narrate

Made = TypeVar("Made")

POLL_S: Final = 2.0
AWAY_S: Final = 10.0
"""A server that is started anew is back by then."""
GRACE_S: Final = 3600
QUESTION: Final = "question"
KEY: Final = "approval"

_ABSENT = (httpx.HTTPError, PrefectHTTPStatusError)
"""A server that is restarted; one that is gone for good ends nothing that waits here."""


@dataclass(frozen=True)
class Question:
    """What is asked of a person.

    Attributes:
        text: In Markdown.
        facts: What a list of all that waits shows, as JSON.
        seconds: How long to wait.
    """

    text: str
    facts: dict[str, str]
    seconds: float


def wait_for_person(
    question: Question,
    *,
    is_outdated: Callable[[], bool],
    on_wait: Callable[[str], None],
    poll_s: float = POLL_S,
) -> ApprovalForm | None:
    """Pause this flow run until a person answers; a bad answer asks again and says why.

    Args:
        question: What is asked.
        is_outdated: Whether the question has become idle.
        on_wait: Is told the id of the run once it waits.
        poll_s: Between two looks.

    Returns:
        The answer; None: nobody answered in time, or the question has become idle.

    Raises:
        Abort: Somebody ended the run.
    """
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        raise RuntimeError("A person is asked from within a flow run")
    run_id = context.flow_run.id
    deadline = time.monotonic() + question.seconds
    complaint = ""
    with get_client(sync_client=True) as client:
        while True:
            left_s = max(0.0, deadline - time.monotonic())
            key = _pause(client, run_id, question, complaint=complaint, seconds=left_s)
            if not complaint:
                on_wait(str(run_id))
            written = _wait(client, run_id, key, deadline, is_outdated=is_outdated, poll_s=poll_s)
            if written is None:
                return None
            try:
                return ApprovalForm(**written)
            except (ValidationError, TypeError) as error:
                complaint = _explain(error)


def _pause(
    client: SyncPrefectClient, run_id: UUID, question: Question, *, complaint: str, seconds: float
) -> str:
    """Propose the pause, its form first, so that nobody sees the one without the other."""
    key = f"{KEY}-{uuid4().hex[:12]}"  # one of before would have "already fired"
    state: State[Any] = Paused(timeout_seconds=int(seconds) + GRACE_S, pause_key=key)
    keyset = keyset_from_paused_state(state)
    state.state_details.run_input_keyset = {str(part): name for part, name in keyset.items()}
    text = f"**{complaint}**\n\n{question.text}" if complaint else question.text
    form_of(key).with_initial_data(description=text).save(keyset, flow_run_id=run_id)
    facts = json.dumps(question.facts)
    _again(lambda: client.create_flow_run_input(run_id, f"{key}-{QUESTION}", facts))
    reached = _again(lambda: propose_state_sync(client, state, flow_run_id=run_id))
    if not reached.is_paused():
        raise Abort(f"The run cannot wait for a person, it is {reached.name}")
    return keyset["response"]


def _wait(
    client: SyncPrefectClient,
    run_id: UUID,
    response: str,
    deadline: float,
    *,
    is_outdated: Callable[[], bool],
    poll_s: float,
) -> dict[str, Any] | None:
    """Return what was written into the form; None: nothing in time, or it is outdated."""
    while True:
        state = _again(lambda: client.read_flow_run(run_id)).state
        if state is None or state.is_running():
            return _read(client, run_id, response)
        if not state.is_paused():
            raise Abort(f"The run was ended while it waited: {state.name}")
        if time.monotonic() >= deadline or is_outdated():
            _again(lambda: propose_state_sync(client, Running(), flow_run_id=run_id))
            # Somebody may have answered at this very moment.
            return _read(client, run_id, response)
        time.sleep(poll_s)


def _read(client: SyncPrefectClient, run_id: UUID, response: str) -> dict[str, Any] | None:
    def read() -> dict[str, Any] | None:
        found = client.filter_flow_run_input(run_id, response, limit=1, exclude_keys=set())
        return dict(json.loads(found[0].value)) if found else None

    return _again(read)


def _again(ask: Callable[[], Made]) -> Made:
    """Ask the server until it answers; one that stays away is told of, once."""
    tell_at = time.monotonic() + AWAY_S
    while True:
        try:
            return ask()
        except _ABSENT as error:
            if isinstance(error, PrefectHTTPStatusError) and error.response.is_client_error:
                raise
        if time.monotonic() > tell_at:
            narrate("approve", "Prefect's server is away, the question stays: ocrline up starts it")
            tell_at = math.inf
        time.sleep(POLL_S)


def _explain(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "That was no answer"
    said = {".".join(map(str, each["loc"])): each["msg"] for each in error.errors()}
    return "; ".join(f"{field}: {message}" for field, message in said.items())
