"""A run that waits for a person in a real Prefect server."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, expect
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.responses import SetStateStatus
from prefect.states import Cancelled

from ocr.errors import AliasMoved, BadInput
from tasks.approving import pause
from tasks.approving.form import ApprovalForm
from tasks.approving.pause import Question, wait_for_person
from tasks.approving.process import name_process
from tasks.approving.waiting import Waiting, answer, find_waiting
from tasks.notifying.notify import link_to
from tests.serving.browser import PATIENCE_MS, running_chromium
from tests.tasks.approving.asking import in_background, wait_for_question
from tests.tasks.prefect_server import PASSWORD, PrefectServer

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("server")]

GOOD = {"decision": "approve", "name": "Li Wei", "reason": "reads 8 at last"}


@flow(name="ask")
def ask(seconds: float, outdated: Event, model: str = "plates:v2") -> ApprovalForm | None:
    facts = {
        "model": model,
        "champion": "v1",
        "reason": "It reads better.",
        "report": "/reports/plates.html",
        "until": "tomorrow",
        "process": name_process(),
    }
    return wait_for_person(
        Question("**May plates:v2 go online?**", facts, seconds),
        is_outdated=outdated.is_set,
        on_wait=lambda _: None,
        poll_s=0.2,
    )


def run_ask(seconds: float = 300, outdated: Event | None = None) -> ApprovalForm | None:
    result: ApprovalForm | None = ask(seconds, outdated or Event())
    return result


def resume(waiting: Waiting, **written: str) -> Any:
    with get_client(sync_client=True) as client:
        form = {"question": waiting.question, **written}
        return client.resume_flow_run(UUID(waiting.run), form)


@pytest.fixture
def browser() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


def state_of(run: str) -> str:
    with get_client(sync_client=True) as client:
        state = client.read_flow_run(UUID(run)).state
    return state.name if state and state.name else ""


def test_run_waits_and_goes_on_with_the_answer() -> None:
    with in_background(run_ask) as run:
        waiting = wait_for_question(run)
        answer(find_waiting("plates"), decision="approve", by="Li Wei", reason="reads 8 at last")
        said = run.result()

    assert said is not None
    assert said.model_dump() == {**GOOD, "question": waiting.question}
    assert (waiting.model, waiting.champion, waiting.has_ended) == ("plates:v2", "v1", False)
    assert state_of(waiting.run) == "Completed"


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": " \t"},
        {"name": "x" * 81},
        {"reason": ""},
        {"reason": "two\nlines"},
        {"reason": "red \x1b[31m"},
        {"reason": "abc\u202edcba"},
        {"reason": "y" * 501},
        {"decision": "perhaps"},
        {"also": "this"},
        {"question": "approval-of-before"},
    ],
    ids=repr,
)
def test_a_bad_answer_is_refused_and_the_run_still_waits(change: dict[str, str]) -> None:
    with in_background(run_ask) as run:
        waiting = wait_for_question(run)
        result = resume(waiting, **{**GOOD, **change})
        state = state_of(waiting.run)
        resume(waiting, **GOOD)
        run.result()

    assert result.status == SetStateStatus.REJECT
    assert state == "Paused"


def test_an_answer_that_only_the_run_finds_bad_asks_again_and_says_why() -> None:
    with in_background(run_ask) as run:
        first = wait_for_question(run)
        # Python's $ stands before a last line break, pydantic's does not.
        result = resume(first, **{**GOOD, "reason": "because\n"})
        second = wait_for_question(run, but=first)
        with get_client(sync_client=True) as client:
            state = client.read_flow_run(UUID(second.run)).state
            assert state is not None
            keyset = state.state_details.run_input_keyset or {}
            text = client.read_flow_run_input(UUID(second.run), keyset["description"])
        resume(second, **GOOD)
        said = run.result()

    assert result.status == SetStateStatus.ACCEPT
    assert "reason: " in text
    assert said is not None
    assert said.reason == GOOD["reason"]


def test_an_answer_to_another_question_is_refused_and_the_run_still_waits() -> None:
    with in_background(run_ask) as run:
        first = wait_for_question(run)
        resume(first, **{**GOOD, "reason": "because\n"})  # so that it asks again
        second = wait_for_question(run, but=first)
        with pytest.raises(AliasMoved, match="another comparison by now"):
            answer(first, decision="approve", by="Li Wei", reason="it was +5 points")
        with get_client(sync_client=True) as client:  # what knows of no questions
            client.resume_flow_run(UUID(second.run), GOOD)
        third = wait_for_question(run, but=second)
        answer(
            find_waiting(third.question), decision="reject", by="Li Wei", reason="+0.1 is little"
        )
        said = run.result()

    assert len({first.question, second.question, third.question}) == 3
    assert said is not None
    assert said.reason == "+0.1 is little"


def test_without_an_answer_in_time_the_run_goes_on_and_completes() -> None:
    with in_background(partial(run_ask, 15)) as run:
        waiting = wait_for_question(run)
        said = run.result()

    assert said is None
    assert state_of(waiting.run) == "Completed"


def test_a_question_that_became_idle_is_withdrawn() -> None:
    outdated = Event()
    with in_background(partial(run_ask, 300, outdated)) as run:
        waiting = wait_for_question(run)
        outdated.set()
        said = run.result()
        late = resume(waiting, **GOOD)

    assert said is None
    assert late.status == SetStateStatus.ABORT


def test_of_two_answers_at_once_one_counts_and_the_other_is_told() -> None:
    with in_background(run_ask) as run, ThreadPoolExecutor(2) as pool:
        waiting = wait_for_question(run)
        both = [
            pool.submit(
                copy_context().run,
                partial(answer, waiting, decision="approve", by=by, reason="at once"),
            )
            for by in ("first", "second")
        ]
        errors = [each.exception() for each in both]
        said = run.result()

    assert said is not None
    (loser,) = [error for error in errors if error]
    assert isinstance(loser, AliasMoved)
    assert said.name == ("first", "second")[errors.index(None)]


def test_a_run_that_is_cancelled_while_it_waits_ends() -> None:
    with in_background(run_ask) as run:
        waiting = wait_for_question(run)
        with get_client(sync_client=True) as client:
            client.set_flow_run_state(UUID(waiting.run), Cancelled(), force=True)
        run.exception()

    assert state_of(waiting.run) == "Cancelled"


@pytest.mark.slow
def test_a_server_that_is_killed_and_started_again_loses_no_question(
    server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[str]()
    monkeypatch.setattr(pause, "AWAY_S", 0.0)
    monkeypatch.setattr(pause, "narrate", lambda _, message: said.append(message))
    with in_background(run_ask) as run:
        waiting = wait_for_question(run)
        server.kill()
        while not said:
            time.sleep(0.1)
        time.sleep(3)
        server.start()
        answer(find_waiting(waiting.run[:13]), decision="reject", by="Li Wei", reason="no")
        answered = run.result()

    assert answered is not None
    assert answered.decision == "reject"
    assert said == ["Prefect's server is away, the question stays: ocrline up starts it"]


def test_wrong_names_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with in_background(run_ask) as run, in_background(run_ask) as other:
        first = wait_for_question(run)
        second = wait_for_question(other, but=first)
        with pytest.raises(BadInput, match="Several wait that are 'plates', name the run"):
            find_waiting("plates")
        with pytest.raises(
            BadInput, match=r"the reason 'two\\nlines'; expected one plain line each"
        ):
            answer(first, decision="approve", by="Li Wei", reason="two\nlines")
        for each in (first, second):
            resume(each, **GOOD)
        run.result()
        other.result()


def test_link_leads_who_is_not_logged_in_to_the_question(browser: Browser) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)

    with in_background(partial(run_ask, 120)) as run:
        waiting = wait_for_question(run)
        page.goto(link_to(waiting.run))
        page.locator("input[type=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Open menu").first.click()
        page.get_by_role("menuitem", name="Resume").click()
        expect(page.get_by_text("May plates:v2 go online?")).to_be_visible()
        resume(waiting, **GOOD)

        assert run.result() is not None
