"""What is decided needs no other retraining; what was accepted and came to nothing does."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ocr.gate.approval import Answer, Choice, keep_answer
from ocr.gate.checks import Verdict
from ocr.models.registry import Registry
from tasks.starting.decided import find_decided
from tests.tasks.bars import add_version
from tests.tasks.starting.verdicts import keep_verdict

IN_2100 = 4102444800.0
"""Its first moment (epoch, s)."""


@pytest.fixture(autouse=True)
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Runs that wait for a person."""
    waiting: list[Any] = []
    monkeypatch.setattr("tasks.starting.decided.list_waiting", lambda: waiting)
    return waiting


@pytest.fixture
def registry(empty: Registry, tmp_path: Path) -> Registry:
    """A registry with the champion v1; v2 was judged beside it in 2000, and accepted."""
    for version in ("v1", "v2"):
        add_version(tmp_path, version, "0123456789")
    empty.promote("bars", "v1", reason="first")
    keep_verdict(empty.store, "promote", year=2000, champion="v1")
    return empty


def find(registry: Registry, *, since: float = 0.0) -> list[Verdict]:
    champion = registry.champion("bars")
    found = find_decided(registry.store, "bars", champion, since=since, patience_s=86400.0)
    return [each.verdict for each in found]


def answer(registry: Registry, *choices: Choice) -> None:
    """Let people answer about v2, one after another, each time to another comparison."""
    for n, choice in enumerate(choices):
        said = Answer(choice, "Ada", "so", f"2000-01-0{n + 2}T00:00:00+00:00", "bars:v2", "v1")
        keep_answer(registry.store, f"reports/v2/approval-{n}.json", said)


@pytest.mark.parametrize("answers", [(), ("time-out",), ("approve",), ("reject", "approve")])
def test_what_was_accepted_and_never_went_online_is_not_decided(
    answers: tuple[Choice, ...], registry: Registry
) -> None:
    answer(registry, *answers)

    assert find(registry) == []


@pytest.mark.parametrize("answers", [("reject",), ("approve", "reject", "time-out")])
def test_what_a_person_rejected_is_decided(answers: tuple[Choice, ...], registry: Registry) -> None:
    answer(registry, *answers)

    assert find(registry) == ["promote"]


def test_what_a_failed_deployment_undid_is_not_decided(registry: Registry) -> None:
    promoted = registry.promote("bars", "v2", reason="accepted")
    registry.undo(promoted, reason="deployment failed")

    assert find(registry) == []


def test_what_a_person_took_back_is_decided(registry: Registry) -> None:
    registry.promote("bars", "v2", reason="accepted")
    registry.rollback("bars", reason="loses short lines")

    assert find(registry) == ["promote"]


def test_what_was_champion_before_the_one_beside_which_it_is_accepted_is_not_decided(
    empty: Registry, tmp_path: Path
) -> None:
    for version in ("v1", "v2"):
        add_version(tmp_path, version, "0123456789")
    for version in ("v2", "v1"):
        empty.promote("bars", version, reason="better")
    keep_verdict(empty.store, "promote", year=2000, champion="v1")

    assert find(empty) == []


def test_the_champion_itself_is_decided(registry: Registry) -> None:
    registry.promote("bars", "v2", reason="accepted")
    keep_verdict(registry.store, "promote", year=2001, champion="v2")

    assert find(registry) == ["promote"]


@pytest.mark.parametrize(("has_ended", "decided"), [(False, ["promote"]), (True, [])])
def test_what_waits_for_a_person_is_decided_while_its_process_lives(
    has_ended: bool, decided: list[Verdict], registry: Registry, waiting: list[Any]
) -> None:
    waiting.append(SimpleNamespace(model="bars:v2", has_ended=has_ended))

    assert find(registry) == decided


@pytest.mark.parametrize("verdict", ["hold", "block"])
def test_the_last_decision_on_a_version_says_whether_it_was_accepted(
    verdict: Verdict, registry: Registry
) -> None:
    keep_verdict(registry.store, verdict, year=2001, champion="v1")
    refused = find(registry)
    keep_verdict(registry.store, "promote", year=2002, champion="v1")

    assert refused == ["promote", verdict]
    assert find(registry) == []


@pytest.mark.parametrize(("judged", "since"), [(2100, 0.0), (2000, IN_2100)])
def test_what_was_accepted_or_started_one_a_moment_ago_may_go_online_yet(
    judged: int, since: float, empty: Registry
) -> None:
    keep_verdict(empty.store, "promote", year=judged, champion="")

    assert find(empty, since=since) == ["promote"]


def test_what_a_person_took_back_is_decided_whoever_it_replaced(
    registry: Registry, tmp_path: Path
) -> None:
    add_version(tmp_path, "v3", "0123456789")
    for version in ("v3", "v2"):
        registry.promote("bars", version, reason="by hand")
    for _ in range(2):
        registry.rollback("bars", reason="by hand")

    assert find(registry) == ["promote"]
