"""What a judgement, a question or a move gives to tell, and to Prefect as an event."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL, temporary_settings

from configs.deployment import DeploymentParams
from configs.people.notifications import EventKind
from tasks import deploy
from tasks.notifying import hooks, notify, occasions
from tasks.notifying.notice import Notice
from tasks.references import JudgementRef
from tests.tasks.conftest import ToyProject, empty, project

__all__ = ["empty", "project"]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Notice]:
    notices: list[Notice] = []
    monkeypatch.setattr(occasions, "notify", notices.append)
    monkeypatch.setattr(hooks, "notify", notices.append)
    return notices


def judgement(verdict: str) -> JudgementRef:
    return JudgementRef(verdict, accepted=False, reasons=("It reads worse.",), report="r.html")


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        ("block", "refusal"),
        ("hold", "hold"),
        ("rejected", "rejection"),
        ("not approved", "rejection"),
        ("promote", None),
    ],
)
def test_a_candidate_that_stays_offline_is_told_by_what_was_said_of_it(
    told: list[Notice], verdict: str, kind: str | None
) -> None:
    occasions.tell_judgement("bars:new", judgement(verdict))

    assert [(each.kind, each.model, each.why) for each in told] == (
        [(kind, "bars:new", "It reads worse.")] if kind else []
    )


def test_a_promotion_whose_run_was_killed_is_told_by_the_next_one_under_the_same_id(
    project: ToyProject, told: list[Notice]
) -> None:
    project.add("1")
    project.promote("1")
    evaluation = project.evaluate(project.add("2"))
    accepted = JudgementRef("promote", accepted=True, reasons=("Better.",), report="r.html")
    deploy._promote(project.registry, evaluation, accepted)  # and killed before it told

    for _ in range(2):
        deploy.deploy_model.fn(evaluation, accepted, DeploymentParams(target="none"))

    assert [each.kind for each in told] == ["promotion", "promotion"]
    assert len({each.id for each in told}) == 1  # of which one is told


def test_a_promotion_by_another_evaluation_is_not_told_again(
    project: ToyProject, told: list[Notice]
) -> None:
    project.promote(project.add("1").version)
    evaluation = project.evaluate(project.add("2"))
    project.promote("2")

    accepted = JudgementRef("promote", accepted=True, reasons=("Better.",), report="r.html")
    deploy.deploy_model.fn(evaluation, accepted, DeploymentParams(target="none"))

    assert told == []


@pytest.mark.parametrize(
    ("hook", "is_once_a_day"), [(hooks.tell_failure, False), (hooks.tell_failing, True)]
)
def test_a_failed_run_is_told_with_its_reason_once_or_once_a_day(
    told: list[Notice], hook: Callable[..., None], is_once_a_day: bool
) -> None:
    flow, state = SimpleNamespace(name="retrain-lines"), SimpleNamespace(message="no gateway")
    with temporary_settings({PREFECT_UI_URL: "http://127.0.0.1:4200"}):
        for run in ("one", "two"):
            parameters = {"params": {"name": "plates"}}
            hook(flow, SimpleNamespace(id=run, name="plates", parameters=parameters), state)

    assert [(each.kind, each.model, each.why) for each in told] == [
        ("failure", "plates", "retrain-lines: no gateway")
    ] * 2
    assert [each.link.rpartition("/")[2] for each in told] == ["one", "two"]
    assert (told[0].id == told[1].id) is is_once_a_day


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("promotion", "ocrline.promoted"),
        ("rollback", "ocrline.rolled-back"),
        ("refusal", "ocrline.refused"),
        ("hold", "ocrline.held"),
        ("failure", None),
    ],
)
@pytest.mark.usefixtures("empty")
def test_what_automations_may_follow_is_an_event_of_its_model_under_one_id(
    monkeypatch: pytest.MonkeyPatch, kind: EventKind, event: str | None
) -> None:
    emitted: list[dict[str, Any]] = []
    monkeypatch.setattr(notify, "emit_event", lambda **said: emitted.append(said))
    notice = Notice(kind, "plates:v2", id="1", why="better", who="Li Wei")
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:1/api"}):
        notify.notify(notice)
        notify.notify(notice)

    assert len({each["id"] for each in emitted}) == len(emitted[:1])
    assert [each["event"] for each in emitted] == [event] * 2 * bool(event)
    for each in emitted:
        assert each["resource"] == {
            "prefect.resource.id": "ocrline.model.plates",
            "prefect.resource.name": "plates",
        }
        assert each["payload"] == {"version": "v2", "why": "better", "who": "Li Wei"}
