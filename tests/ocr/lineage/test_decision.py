"""Decisions are kept for good, each once."""

from dataclasses import replace

import pytest

from ocr.errors import BadData
from ocr.lineage.decision import count_judged, keep_decision, name_test_set, read_decisions
from tests.ocr.lineage.scenes import FROZEN, NAME, OTHERS, Told


def test_a_decision_is_read_as_it_was_kept(told: Told) -> None:
    told.judge("v1", "block", 2, beside=("v0", 10))

    (found,) = read_decisions(told.registry.store, NAME)

    assert (found.model, found.version, found.verdict) == (NAME, "v1", "block")
    assert found.reasons == ("It was told to block.",)
    assert found.metrics["accuracy"].value == 0.5
    assert found.opponent_metrics["accuracy"].value == 0.9
    assert found.samples == len(FROZEN)


def test_the_same_decision_at_another_time_is_kept_once(told: Told) -> None:
    told.judge("v1", "promote", 10)
    (first,) = read_decisions(told.registry.store, NAME)

    again = replace(
        first, at="2026-12-01T00:00:00+00:00", latency_ms=7.5, report="reports/e/1.html"
    )
    keys = {keep_decision(told.registry.store, each) for each in (first, again)}

    assert len(keys) == 1
    assert read_decisions(told.registry.store, NAME) == [first]


def test_another_decision_on_the_same_version_is_kept_beside_it(told: Told) -> None:
    told.judge("v1", "hold", 10)
    (first,) = read_decisions(told.registry.store, NAME)

    later = replace(first, at="2026-12-01T00:00:00+00:00", verdict="promote")
    keep_decision(told.registry.store, later)

    assert read_decisions(told.registry.store, NAME) == [first, later]


def test_a_decision_that_returns_after_another_is_the_last_one(told: Told) -> None:
    told.judge("v1", "promote", 10)
    (first,) = read_decisions(told.registry.store, NAME)

    second = replace(first, at="2026-12-01T00:00:00+00:00", verdict="hold")
    third = replace(first, at="2026-12-02T00:00:00+00:00")
    again = replace(first, at="2026-12-03T00:00:00+00:00")
    for each in (second, third, again):
        keep_decision(told.registry.store, each)

    assert read_decisions(told.registry.store, NAME) == [first, second, third]


@pytest.mark.parametrize("at", ["2026-11-23T12:00:00+00:00", "2026-11-24T12:00:00+00:00"])
def test_a_decision_after_the_clock_was_set_back_is_the_last_one(told: Told, at: str) -> None:
    told.judge("v1", "promote", 10, at="2026-11-24T12:00:00+00:00")

    told.judge("v1", "block", 10, at=at)
    told.judge("v1", "hold", 10, at=at)

    found = [(each.verdict, each.at) for each in read_decisions(told.registry.store, NAME)]
    assert found == [
        ("promote", "2026-11-24T12:00:00+00:00"),
        ("block", "2026-11-24T12:00:01+00:00"),
        ("hold", "2026-11-24T12:00:02+00:00"),
    ]


def test_a_damaged_decision_is_named(told: Told) -> None:
    told.registry.store.put_bytes(f"decisions/{NAME}/v1/0.json", b"{}")

    with pytest.raises(BadData, match=r"decisions/toy/v1/0\.json is no decision"):
        read_decisions(told.registry.store, NAME)


def test_other_versions_that_met_a_test_are_counted_once_each(told: Told) -> None:
    told.judge("v1", "block", 2)
    told.judge("v1", "hold", 2)
    told.judge("v2", "promote", 10)
    told.judge("v3", "promote", 10, texts=OTHERS)
    _, report = told.evaluate("v2", 7)

    def count(version: str) -> int | None:
        return count_judged(told.registry.store, report, model=NAME, version=version)

    assert (count("v1"), count("v2"), count("v4")) == (1, 1, 2)


def test_where_a_decision_is_damaged_nobody_knows_how_many_there_were(told: Told) -> None:
    _, report = told.evaluate("v2", 7)
    told.registry.store.put_bytes(f"decisions/{NAME}/v1/0.json", b"{}")

    assert count_judged(told.registry.store, report, model=NAME, version="v2") is None


def test_a_test_set_is_named_by_what_is_in_it_whoever_read_it(told: Told) -> None:
    _, ours = told.evaluate("v1", 2)
    _, theirs = told.evaluate("v2", 7, beside=("v1", 2))
    _, others = told.evaluate("v1", 2, texts=OTHERS)

    assert name_test_set(ours) == name_test_set(theirs)
    assert name_test_set(ours) != name_test_set(others)
    assert name_test_set(others)[1] == len(OTHERS)
