"""What the history of a champion says of a version: whom it meets, and whether it may come back."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.errors import BadData, BadInput
from ocr.models.alias import (
    MOST_REASON,
    TAKE_BACK_BYTES,
    AliasState,
    Promotion,
    format_history,
    parse_history,
)
from ocr.models.registry import Registry
from ocr.store import open_store


def champion_after(*moves: str) -> AliasState:
    """Promote versions in their order; ``rollback`` and ``undo`` take the last one back."""
    state = AliasState(name="toy", alias="champion", history=(), tag="")
    for move in moves:
        current = (state.version or None) if state.history else None
        taken_back = move in ("rollback", "undo")
        promotion = Promotion(
            alias="champion",
            version=state.previous if taken_back else move,
            previous=current,
            at="2026-11-01",
            reason="by hand",
            action="rollback" if move == "rollback" else "undo" if taken_back else "promote",
        )
        state = AliasState(
            name="toy", alias="champion", history=(*state.history, promotion), tag=""
        )
    return state


@pytest.mark.parametrize(
    ("moves", "candidate", "opponent"),
    [
        (("v1",), "v2", "v1"),
        (("v1", "v2"), "v2", "v1"),
        (("v1",), "v1", None),
        (("v1", "v2", "v3", "rollback"), "v2", "v1"),
        (("v1", "v2"), "v1", "v2"),
        (("v1", "v2", "v3", "v2"), "v2", "v3"),
        (("v1", "undo", "v1"), "v1", None),
    ],
    ids=[
        "another champion",
        "the champion itself",
        "the first champion itself",
        "the champion itself, back after a rollback",
        "an earlier champion",
        "the champion itself, promoted twice",
        "the first champion itself, proven at the second try",
    ],
)
def test_opponent_is_the_champion_or_what_it_was_promoted_over(
    moves: tuple[str, ...], candidate: str, opponent: str | None
) -> None:
    assert champion_after(*moves).opponent_of(candidate) == opponent


@pytest.mark.parametrize(
    ("made", "moves"),
    [
        (("v1",), ("v1",)),
        (("v1", "v2", "rollback"), ("v1", "v2", "v1")),
        (("v1", "v2", "undo"), ("v1",)),
        (("v1", "undo"), ()),
    ],
    ids=["a promotion", "there and back", "undone", "the first one undone"],
)
def test_a_rollback_is_a_move_and_what_was_undone_is_none(
    made: tuple[str, ...], moves: tuple[str, ...]
) -> None:
    assert champion_after(*made).moves == moves


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (("v1",), False),
        (("v1", "v2"), False),
        (("v1", "v2", "rollback"), True),
        (("v1", "v2", "rollback", "v3"), True),
        (("v1", "v2", "rollback", "v2"), False),
        (("v1", "v2", "v3", "rollback"), False),
        (("v1", "v2", "undo"), False),
        (("v1", "v2", "undo", "v2", "rollback"), True),
    ],
    ids=[
        "never promoted",
        "champion",
        "taken back",
        "taken back, whatever followed",
        "taken back and promoted again",
        "brought back, as another was taken back",
        "its deployment failed",
        "its deployment failed, and later it was taken back",
    ],
)
def test_a_version_counts_as_rolled_back_when_a_person_moved_it_last(
    moves: tuple[str, ...], expected: bool
) -> None:
    assert champion_after(*moves).was_rolled_back("v2") is expected


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (("v1", "v2", "rollback"), True),
        (("v1", "v2", "rollback", "v3"), False),
        (("v1", "v2", "rollback", "v3", "undo"), True),
        (("v1", "v2", "v3", "rollback"), True),
        (("v1", "v2", "rollback", "v4"), False),
        (("v1", "v2", "v4", "rollback"), True),
    ],
    ids=[
        "another was taken back",
        "and a third promoted since",
        "whose deployment failed",
        "the third was taken back for another",
        "itself promoted since",
        "itself taken back for another",
    ],
)
def test_of_a_version_that_never_moved_those_decide_that_are_alike(
    moves: tuple[str, ...], expected: bool
) -> None:
    assert champion_after(*moves).was_rolled_back("v4", alike={"v2", "v3"}) is expected


def test_what_else_a_version_was_judged_by_is_written_only_where_there_is_any() -> None:
    (plain,) = champion_after("v1").history
    judged = replace(plain, judged_by=("datasets/general/0", "evaluations/0"))

    written = format_history((plain,)), format_history((plain, judged))

    assert [parse_history(each, source="test") for each in written] == [(plain,), (plain, judged)]
    assert b"judged_by" not in written[0]  # a gateway of before knows no such field


def test_a_history_of_before_approvals_is_read_and_one_without_them_is_written_as_before() -> None:
    state = champion_after("v1")

    data = format_history(state.history)

    assert b"approv" not in data
    assert parse_history(data, source="x")[0].approved_by == ""


def test_who_moved_it_is_written_where_releases_before_pass_over_it() -> None:
    (move,) = champion_after("v1").history
    moves = (move, replace(move, by="ada@desk, run 7"))

    content = json.loads(format_history(moves))

    assert b"moved_by" not in format_history((move,))
    assert content["moved_by"] == ["", "ada@desk, run 7"]
    assert content["history"] == [json.loads(format_history((move,)))["history"][0]] * 2
    assert parse_history(format_history(moves), source="x") == moves


@pytest.mark.parametrize("moved_by", [["a", "b"], [], [3], 3, None])
def test_who_moved_it_is_nobody_where_it_is_not_told_of_every_move(moved_by: object) -> None:
    history = champion_after("v1").history
    content = json.loads(format_history(history)) | {"moved_by": moved_by}

    assert parse_history(json.dumps(content).encode(), source="x") == history


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 5),
        ("version", {"a": 1}),
        ("version", "../../secret"),
        ("previous", "a/b"),
        ("previous", []),
        ("reason", ["a"]),
        ("at", None),
        ("approved_by", 3),
        ("action", "burn"),
        ("reason", "\ud800"),
        ("version", "v1\n"),
    ],
)
def test_a_move_that_somebody_wrote_otherwise_is_no_move(field: str, value: object) -> None:
    content = json.loads(format_history(champion_after("v1").history))
    content["history"][0][field] = value
    content["version"] = content["history"][0]["version"]

    with pytest.raises(BadData, match="x is no alias of a model"):
        parse_history(json.dumps(content).encode(), source="x")


def test_what_is_nested_without_end_is_no_alias() -> None:
    with pytest.raises(BadData, match="x is no JSON"):
        parse_history(b"[" * 100_000, source="x")


def test_an_alias_of_gigabytes_is_none_and_not_read(tmp_path: Path) -> None:
    alias = tmp_path / "models" / "toy" / "aliases" / "champion.json"
    alias.parent.mkdir(parents=True)
    with alias.open("wb") as file:
        file.truncate(2**31)

    with pytest.raises(BadData, match=r"champion\.json has more than 8388608 bytes"):
        Registry(open_store(str(tmp_path))).read_alias("toy")


def test_a_reason_that_nobody_reads_to_its_end_is_refused() -> None:
    (move,) = champion_after("v1").history

    format_history((replace(move, reason="界" * MOST_REASON),))
    with pytest.raises(BadInput, match=r"A reason of 10,001 characters is too long"):
        format_history((replace(move, reason="界" * (MOST_REASON + 1)),))


def test_a_history_is_never_written_longer_than_it_is_read_and_what_is_online_can_go() -> None:
    (move,) = champion_after("v1").history
    full = (replace(move, reason="界" * MOST_REASON),) * 250

    with pytest.raises(BadInput, match=r"The history of 249 moves has no room for another"):
        format_history(full)
    taken_back = format_history((*full, replace(move, action="rollback")))
    assert AliasState.MOST_BYTES - TAKE_BACK_BYTES < len(taken_back) < AliasState.MOST_BYTES


def test_who_approved_and_why_stays_in_the_history() -> None:
    (move,) = champion_after("v1").history
    approved = replace(move, approved_by="李伟", approval_reason="reads 8 at last")

    assert parse_history(format_history((approved,)), source="x") == (approved,)
