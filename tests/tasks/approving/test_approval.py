"""What is kept while a person is asked; that they are, see tests.flows.test_approval."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from configs.people.approval import ApprovalParams
from ocr.models.registry import Registry
from ocr.store import Store
from ocr.store.folder import mark_used
from tasks.approving import approval
from tasks.references import EvaluationRef, FurtherRef, JudgementRef, ModelRef

DAYS = (date(2026, 1, 1), date(2026, 1, 1), date(2026, 1, 2))


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

    replaced: dict[str, Any] = {
        "mark_used": mark,
        "wait_for_person": wait,
        "find_asking": lambda *_, **__: None,
        "_word": lambda *_, **__: None,
    }
    for name, value in replaced.items():
        monkeypatch.setattr(approval, name, value)
    further = FurtherRef("general", "datasets/general/d2", ("evaluations/e2", "evaluations/e3"))
    evaluation = EvaluationRef(
        "evaluations/e1", ModelRef("bars", "new", ()), "d", "old", None, (further,)
    )
    judgement = JudgementRef("promote", accepted=True, reasons=("better",), report="")

    approval.seek_approval(
        evaluation,
        judgement,
        ApprovalParams(needed=True),
        evaluate=lambda: evaluation,
        judge=lambda _: judgement,
    )

    asked = ["models/bars/new", "evaluations/e1", *evaluation.judged_by]
    assert len(asked) == 5
    assert len(list(empty.store.list("used"))) == len(asked)
    assert marked == [(day, prefix) for day in sorted(set(DAYS)) for prefix in asked]
