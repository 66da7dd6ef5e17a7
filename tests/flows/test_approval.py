"""A retraining that asks a person before it deploys; only its training is made up."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from prefect.client.orchestration import get_client

from configs.people.approval import ApprovalParams
from flows import retrain_lines as flow
from ocr.gate.approval import Answer
from ocr.models.alias import Promotion
from ocr.models.registry import Registry
from tasks.approving import approval
from tasks.approving.waiting import answer, find_asking, find_waiting, list_waiting
from tasks.notifying import occasions
from tasks.references import JudgementRef
from tasks.workspace import open_workspace
from tests.tasks.approving.asking import in_background, wait_for_question
from tests.tasks.bars import READS_DOMAIN, READS_GENERAL, add_version, describe_project
from tests.tasks.prefect_server import running_server

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with running_server(tmp_path_factory.mktemp("machine") / "prefect"):
        yield


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A store whose champion reads nothing of the domain, and a better candidate."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(flow, "sweep_leftovers", lambda: None)
    monkeypatch.setattr(flow, "train_recogniser", lambda *_: None)
    add_version(tmp_path, "old", READS_GENERAL)
    registry = open_workspace().registry
    registry.promote("bars", "old", reason="first")
    made = add_version(tmp_path, "new", READS_DOMAIN)
    monkeypatch.setattr(flow, "export_recogniser", lambda *_: made)
    return registry


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Of what people were told, and of which version."""
    notices: list[tuple[str, str]] = []
    monkeypatch.setattr(occasions, "notify", lambda each: notices.append((each.kind, each.model)))
    return notices


def retrain(folder: Path, timeout_h: float = 1.0) -> JudgementRef:
    """Run the flow with approval required."""
    asked = {"approval": ApprovalParams(needed=True, timeout_h=timeout_h)}
    params = describe_project(folder).model_copy(update=asked)
    run: Callable[..., JudgementRef] = flow.retrain_lines  # what a flow returns has no type
    return run(params)


def champion(registry: Registry) -> Promotion:
    return registry.history("bars")[-1]


def kept_answers(registry: Registry) -> list[Any]:
    return [key.rpartition("/")[2] for key in registry.store.list("reports") if ".json" in key]


def test_an_approved_candidate_is_deployed_and_the_history_says_who_and_why(
    registry: Registry, tmp_path: Path, told: list[tuple[str, str]]
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        before = champion(registry)
        answer(waiting, decision="approve", by="Li Wei", reason="reads 8 at last")
        judgement = run.result()

    move = champion(registry)
    assert before.version == "old"
    assert waiting.model == "bars:new"
    assert told == [("approval-needed", "bars:new"), ("promotion", "bars:new")]
    assert judgement.accepted
    assert (move.version, move.approved_by, move.approval_reason) == (
        "new",
        "Li Wei",
        "reads 8 at last",
    )


def test_a_rejected_candidate_stays_offline_and_is_not_asked_about_again(
    registry: Registry, tmp_path: Path, told: list[tuple[str, str]]
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        answer(waiting, decision="reject", by="Li Wei", reason="loses short plates")
        judgement = run.result()
    told_first = list(told)
    again = retrain(tmp_path)
    with get_client(sync_client=True) as client:
        state = client.read_flow_run(UUID(waiting.run)).state

    assert (judgement.verdict, judgement.accepted) == ("rejected", False)
    assert judgement.reasons[0] == "Rejected by Li Wei: loses short plates."
    assert again.answer == judgement.answer
    assert told_first == [("approval-needed", "bars:new"), ("rejection", "bars:new")]
    assert champion(registry).version == "old"
    assert state is not None
    assert state.is_completed()
    assert len(kept_answers(registry)) == 1


def test_what_was_rejected_is_asked_about_again_once_the_champion_was_moved(
    registry: Registry, tmp_path: Path
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        answer(wait_for_question(run), decision="reject", by="Li Wei", reason="no")
        run.result()
    add_version(tmp_path, "other", READS_GENERAL)
    registry.promote("bars", "other", reason="by hand")

    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        answer(waiting, decision="approve", by="Li Wei", reason="yes now")
        run.result()

    assert waiting.champion == "other"
    assert champion(registry).version == "new"


def test_what_was_rejected_is_asked_about_again_though_the_champion_came_back(
    registry: Registry, tmp_path: Path
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        answer(wait_for_question(run), decision="reject", by="Li Wei", reason="no")
        run.result()
    add_version(tmp_path, "other", READS_GENERAL)
    registry.promote("bars", "other", reason="by hand")
    registry.rollback("bars", reason="it was worse")

    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        answer(waiting, decision="approve", by="Li Wei", reason="yes now")
        run.result()

    assert waiting.champion == "old"
    assert champion(registry).version == "new"


def test_a_question_is_asked_anew_when_the_champion_went_and_came_back_while_it_waited(
    registry: Registry, tmp_path: Path
) -> None:
    add_version(tmp_path, "other", READS_GENERAL)
    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        registry.promote("bars", "other", reason="by hand")
        registry.rollback("bars", reason="it was worse")
        again = wait_for_question(run, but=waiting)
        answer(again, decision="approve", by="Li Wei", reason="yes")
        run.result()

    assert waiting.champion == "old"
    assert champion(registry).version == "new"


def test_without_an_answer_in_time_the_champion_stays_and_the_next_run_asks_again(
    registry: Registry, tmp_path: Path
) -> None:
    judgement = retrain(tmp_path, timeout_h=0.0005)

    with in_background(partial(retrain, tmp_path)) as run:
        answer(wait_for_question(run), decision="approve", by="Li Wei", reason="yes")
        run.result()

    assert (judgement.verdict, judgement.accepted) == ("not approved", False)
    assert isinstance(judgement.answer, Answer)
    assert judgement.answer.choice == "time-out"
    assert [name.split("-")[0] for name in kept_answers(registry)] == ["approval", "time"]
    assert champion(registry).version == "new"


def test_a_candidate_is_judged_anew_when_somebody_moves_the_champion_while_it_waits(
    registry: Registry, tmp_path: Path
) -> None:
    add_version(tmp_path, "other", "0123vwxyzu")
    with in_background(partial(retrain, tmp_path)) as run:
        first = wait_for_question(run)
        registry.promote("bars", "other", reason="by hand")
        second = wait_for_question(run, but=first)
        answer(second, decision="approve", by="Li Wei", reason="better than other")
        run.result()

    move = champion(registry)
    assert (first.champion, second.champion) == ("old", "other")
    assert first.run == second.run
    assert (move.version, move.previous, move.approval_reason) == (
        "new",
        "other",
        "better than other",
    )


def test_a_candidate_that_is_worse_than_the_new_champion_is_refused_unasked(
    registry: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: list[tuple[str, str]],
) -> None:
    partly = add_version(tmp_path, "partly", "0123vwxyzu")
    monkeypatch.setattr(flow, "export_recogniser", lambda *_: partly)
    with in_background(partial(retrain, tmp_path)) as run:
        wait_for_question(run)
        registry.promote("bars", "new", reason="by hand")
        judgement = run.result()

    assert judgement.verdict == "block"
    assert told == [("approval-needed", "bars:partly"), ("refusal", "bars:partly")]
    assert judgement.answer is None
    assert champion(registry).version == "new"
    assert list_waiting() == []


def test_a_second_run_leaves_the_question_to_the_one_that_asks(
    registry: Registry, tmp_path: Path, told: list[tuple[str, str]]
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        second = retrain(tmp_path)
        still = list_waiting()
        answer(waiting, decision="approve", by="Li Wei", reason="reads 8 at last")
        first = run.result()

    assert (second.verdict, second.accepted, first.accepted) == ("hold", False, True)
    assert second.reasons[0].startswith(f"Run {waiting.run} asks about the same comparison already")
    assert [each.run for each in still] == [waiting.run]
    assert told == [("approval-needed", "bars:new"), ("promotion", "bars:new")]
    assert champion(registry).version == "new"


def test_a_run_of_another_store_or_machine_or_of_more_time_asks_itself(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_background(partial(retrain, tmp_path)) as run:
        waiting = wait_for_question(run)
        asked = waiting.comparison
        found = [find_asking(asked), find_asking(asked.replace("file://", "s3://"))]
        found += [find_asking(asked, least_left=timedelta(hours=2))]
        monkeypatch.setattr("socket.gethostname", lambda: "another-machine")
        found.append(find_asking(asked))
        answer(waiting, decision="reject", by="Li Wei", reason="once is enough")
        run.result()
    assert found == [waiting, None, None, None]


def test_of_two_runs_that_ask_in_the_same_moment_one_answer_is_for_both(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval, "find_asking", lambda _, **__: None)  # neither has asked yet
    with (
        in_background(partial(retrain, tmp_path)) as one,
        in_background(partial(retrain, tmp_path)) as two,
    ):
        wait_for_question(two, but=wait_for_question(one))
        first, second = list_waiting()
        assert find_waiting("bars") == first
        assert first.comparison == second.comparison
        answer(first, decision="reject", by="Li Wei", reason="once is enough")
        verdicts = [run.result().verdict for run in (one, two)]

    assert verdicts == ["rejected", "rejected"]
    assert len(kept_answers(registry)) == 1
    assert list_waiting() == []


def test_of_two_candidates_that_wait_at_once_the_second_is_judged_beside_the_first(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_background(partial(retrain, tmp_path)) as one:
        first = wait_for_question(one, of="bars:new")
        better = add_version(tmp_path, "newer", READS_DOMAIN)
        monkeypatch.setattr(flow, "export_recogniser", lambda *_: better)
        with in_background(partial(retrain, tmp_path)) as two:
            early = wait_for_question(two, but=first)
            answer(first, decision="approve", by="Li Wei", reason="the first")
            one.result()
            second = wait_for_question(two, but=early)
            answer(second, decision="approve", by="Li Wei", reason="the second")
            two.result()

    moves = [(move.previous, move.version) for move in registry.history("bars")]
    assert moves == [(None, "old"), ("old", "new"), ("new", "newer")]
