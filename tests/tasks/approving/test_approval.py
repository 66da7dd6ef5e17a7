"""What is kept while a person is asked; that they are, see tests.flows.test_approval."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from configs.people.approval import ApprovalParams
from ocr.errors import StoreUnavailable
from ocr.gate.approval import Answer, keep_answer
from ocr.models.registry import Registry
from ocr.store import Store
from ocr.store.folder import mark_used
from tasks.approving import approval
from tasks.approving.form import ApprovalForm
from tasks.references import EvaluationRef, FurtherRef, JudgementRef, ModelRef

DAYS = (date(2026, 1, 1), date(2026, 1, 1), date(2026, 1, 2))

FURTHER = FurtherRef("general", "datasets/general/d2", ("evaluations/e2", "evaluations/e3"))
EVALUATION = EvaluationRef(
    "evaluations/e1", ModelRef("bars", "new", ()), "d", "old", None, (FURTHER,)
)


def seek(monkeypatch: pytest.MonkeyPatch, **replaced: Any) -> JudgementRef:
    """Ask about a candidate, without Prefect."""
    stubs = {"find_asking": lambda *_, **__: None, "_word": lambda *_, **__: None}
    for name, value in (stubs | replaced).items():
        monkeypatch.setattr(approval, name, value)
    judgement = JudgementRef("promote", accepted=True, reasons=("better",), report="")
    _, followed = approval.seek_approval(
        EVALUATION,
        judgement,
        ApprovalParams(needed=True),
        evaluate=lambda: EVALUATION,
        judge=lambda _: judgement,
    )
    return followed


def test_nobody_prunes_what_is_asked_about_on_any_day_that_it_waits(
    empty: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked: list[tuple[date, str]] = []

    def wait(_: object, *, is_outdated: Callable[[], bool], **__: object) -> None:
        for day in DAYS:
            monkeypatch.setattr(approval, "today", lambda day=day: day)
            assert not is_outdated()

    def mark(store: Store, *, prefix: str) -> None:
        mark_used(store, prefix=prefix)
        marked.append((approval.today(), prefix))

    seek(monkeypatch, mark_used=mark, wait_for_person=wait)

    asked = ["models/bars/new", "evaluations/e1", *EVALUATION.judged_by]
    assert len(asked) == 5
    assert len(list(empty.store.list("used"))) == len(asked)
    assert marked == [(day, prefix) for day in sorted(set(DAYS)) for prefix in asked]


def test_an_answer_outlives_a_store_that_is_away_as_it_comes(
    empty: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    away = [StoreUnavailable("the disk is not mounted")] * 2

    def keep(*given: Any) -> Answer:
        if away:
            raise away.pop()
        return keep_answer(*given)

    form = ApprovalForm(decision="approve", name="Li Wei", reason="reads 8", question="q")
    monkeypatch.setattr(approval, "POLL_S", 0.01)

    followed = seek(monkeypatch, keep_answer=keep, wait_for_person=lambda *_, **__: form)

    assert followed.answer is not None
    assert followed.answer.by == "Li Wei"
    assert len(list(empty.store.list("reports"))) == 1
    said = capsys.readouterr().err
    assert said.count("kept once the store is back: the disk is not mounted") == 1


def test_a_store_that_stays_away_ends_the_run(
    empty: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(*_: object) -> Answer:
        raise StoreUnavailable(empty.store.uri)

    form = ApprovalForm(decision="approve", name="Li Wei", reason="reads 8", question="q")
    for name in ("POLL_S", "AWAY_S"):
        monkeypatch.setattr(approval, name, 0.01)

    with pytest.raises(StoreUnavailable):
        seek(monkeypatch, keep_answer=keep, wait_for_person=lambda *_, **__: form)
