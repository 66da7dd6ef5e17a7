"""What became of every version, and the trend on the samples that most of them read."""

import shutil
from pathlib import Path

import pytest

from ocr.errors import ArtifactNotFound
from ocr.gate.approval import Answer, Choice, approval_key, keep_answer
from ocr.lineage.history import History, read_history
from ocr.lineage.page import render_history
from tests.ocr.lineage.scenes import FROZEN, NAME, OTHERS, Told
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import register_pipeline


@pytest.fixture
def lived(told: Told) -> Told:
    """Six versions of each fate; v5 was judged by other samples."""
    registry = told.registry
    for number in range(1, 8):
        told.add(f"v{number}")
    key = told.judge("v1", "promote", 4, at="2026-11-21T00:00:00+00:00")
    registry.promote(NAME, "v1", reason="the first", evaluation=key)
    told.judge("v2", "block", 2, beside=("v1", 4), at="2026-11-22T00:00:00+00:00")
    told.judge("v3", "hold", 5, beside=("v1", 4), at="2026-11-23T00:00:00+00:00")
    key = told.judge("v4", "promote", 10, beside=("v1", 4), at="2026-11-24T00:00:00+00:00")
    registry.promote(NAME, "v4", reason="reads better", evaluation=key)
    key = told.judge("v5", "promote", 20, texts=OTHERS, at="2026-11-25T00:00:00+00:00")
    registry.promote(NAME, "v5", reason="reads others", evaluation=key)
    registry.rollback(NAME, reason="reads 8 as B")
    state = registry.promote(NAME, "v6", reason="by hand")
    registry.undo(state, reason="deployment failed")
    return told


def history(told: Told) -> History:
    return read_history(told.registry, NAME)


def test_every_version_has_its_fate_and_why(lived: Told) -> None:
    found = {row.version: (row.fate, row.why) for row in history(lived).rows}

    assert found == {
        "v1": ("was champion", "the first"),
        "v2": ("refused", "It was told to block."),
        "v3": ("held", "It was told to hold."),
        "v4": ("champion", "brought back from v6: deployment failed"),
        "v5": ("rolled back", "reads 8 as B"),
        "v6": ("undone", "deployment failed"),
        "v7": (None, ""),
    }


def test_a_version_that_was_pruned_is_known_by_its_decisions(lived: Told) -> None:
    shutil.rmtree(lived.folder / "store" / "models" / NAME / "v2")

    rows = {row.version: row for row in history(lived).rows}

    assert [*rows] == ["v1", "v2", "v3", "v4", "v5", "v6", "v7"]
    gone = rows["v2"]
    assert (gone.created, gone.fate, gone.why) == ("", "refused", "It was told to block.")


def test_a_model_of_which_nothing_is_left_is_known_by_its_decisions(lived: Told) -> None:
    shutil.rmtree(lived.folder / "store" / "models" / NAME)

    assert {row.created for row in history(lived).rows} == {""}


def test_a_former_champion_is_not_blamed_for_what_it_was_brought_back_from(told: Told) -> None:
    for version in ("v1", "v2", "v3", "v4", "v5"):
        told.add(version)
        state = told.registry.promote(NAME, version, reason="reads better")
        if version == "v2":
            told.registry.rollback(NAME, reason="reads 8 as B")
        if version == "v4":
            told.registry.undo(state, reason="deployment failed")

    found = {row.version: (row.fate, row.why) for row in history(told).rows}

    assert found == {
        "v1": ("was champion", "brought back from v2: reads 8 as B"),
        "v2": ("rolled back", "reads 8 as B"),
        "v3": ("was champion", "brought back from v4: deployment failed"),
        "v4": ("undone", "deployment failed"),
        "v5": ("champion", "reads better"),
    }


def test_the_trend_is_of_the_samples_that_most_versions_read(lived: Told) -> None:
    trend = history(lived).trend("accuracy")

    values = [(version, interval and round(interval.value, 3)) for version, interval in trend]
    assert values == [
        ("v1", 0.75),
        ("v2", 0.5),
        ("v3", 0.8),
        ("v4", 0.9),
        ("v5", None),
        ("v6", None),
        ("v7", None),
    ]


def test_of_two_test_sets_that_as_many_read_the_trend_is_of_the_newer(told: Told) -> None:
    for version, texts in (("v1", FROZEN), ("v2", OTHERS)):
        told.add(version)
        told.judge(version, "promote", 10, texts=texts)

    trend = dict(history(told).trend("accuracy"))

    assert trend["v1"] is None
    assert trend["v2"] is not None


def test_an_opponent_has_a_value_on_the_samples_that_it_was_read_beside(told: Told) -> None:
    told.add("v1")
    told.add("v2")
    told.judge("v2", "promote", 10, beside=("v1", 4))

    trend = dict(history(told).trend("accuracy"))

    assert trend["v1"] is not None
    assert trend["v1"].value == 0.75


def test_what_an_earlier_release_kept_no_decision_of_is_read_from_its_evaluation(
    told: Told,
) -> None:
    told.add("v1")
    told.add("v2")
    key, _ = told.evaluate("v2", 10, beside=("v1", 4))
    told.registry.promote(NAME, "v1", reason="the first")
    told.registry.promote(NAME, "v2", reason="reads better", evaluation=key)

    values = [each.value for _, each in history(told).trend("accuracy") if each]

    assert values == [0.75, 0.9]


@pytest.mark.parametrize(
    ("choice", "fate", "why"),
    [
        ("reject", "rejected", "Rejected by Ada: it reads 8 as B"),
        ("time-out", "not approved", "Nobody answered: it reads 8 as B"),
        ("approve", "accepted", "It was told to promote."),
    ],
)
def test_what_a_person_answered_is_the_fate_of_an_accepted_version(
    told: Told, choice: Choice, fate: str, why: str
) -> None:
    told.add("v1")
    evaluation = told.judge("v1", "promote", 10)
    answer = Answer(choice, "Ada", "it reads 8 as B", "2026-11-24T13:00:00+00:00", "toy:v1", "")
    key = approval_key(evaluation, judged_by=(), moves=())
    keep_answer(told.registry.store, key, answer)

    (row,) = history(told).rows

    assert (row.fate, row.why) == (fate, why)


def test_an_answer_to_an_earlier_comparison_is_not_the_fate_of_a_later_one(told: Told) -> None:
    told.add("v1")
    first = told.judge("v1", "promote", 10)
    answer = Answer("reject", "Ada", "no", "2026-11-24T13:00:00+00:00", "toy:v1", "")
    keep_answer(told.registry.store, approval_key(first, judged_by=(), moves=()), answer)
    told.judge("v1", "promote", 9)

    (row,) = history(told).rows

    assert row.fate == "accepted"


def test_what_stricter_rules_refuse_is_refused_whatever_a_person_said_before(told: Told) -> None:
    told.add("v1")
    evaluation = told.judge("v1", "promote", 10)
    answer = Answer("reject", "Ada", "no", "2026-11-24T13:00:00+00:00", "toy:v1", "")
    keep_answer(told.registry.store, approval_key(evaluation, judged_by=(), moves=()), answer)
    told.judge("v1", "block", 10, at="2026-11-25T00:00:00+00:00")

    (row,) = history(told).rows

    assert (row.fate, row.why) == ("refused", "It was told to block.")


def test_a_part_says_of_which_pipeline_it_is(told: Told, tmp_path: Path) -> None:
    register_pipeline(told.registry, tmp_path, version="p1", characters=DIGITS)

    (row,) = read_history(told.registry, "pages-detector").rows

    assert (row.fate, row.why) == (None, "judged as a part of pages:p1")


def test_a_model_that_is_not_there_is_refused(told: Told) -> None:
    with pytest.raises(ArtifactNotFound, match="models there: none"):
        history(told)


def test_the_metric_that_decides_comes_first(lived: Told) -> None:
    assert history(lived).metrics[0] == "accuracy"


def test_the_page_draws_each_metric_and_lists_each_version(lived: Told) -> None:
    found = history(lived)

    html = render_history(found, ("accuracy", "ned"))

    assert html.count('<svg class="chart"') == 2
    assert "v4, champion: 0.9000" in html
    assert "v2, refused: 0.5000" in html
    for row in found.rows:
        assert f"<code>{row.version}</code>" in html
    assert "No decision of it is kept." in html
    assert "(other samples)" in html


def test_the_page_of_a_model_that_nobody_judged_has_no_chart(told: Told) -> None:
    told.add("v1")

    html = render_history(history(told), ())

    assert "No evaluation of a version is kept" in html
    assert "<svg" not in html
