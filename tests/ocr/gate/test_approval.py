"""What people answered, as the store keeps it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.errors import BadData
from ocr.gate.approval import PLAIN, Answer, approval_key, find_answer, keep_answer, read_answers
from ocr.store import Store, open_store

KEY = approval_key("evaluations/e1", judged_by=(), moves=("v1",))
YES = Answer(
    choice="approve",
    by="李伟",
    reason="reads 8 at last",
    at="2026-11-24T10:00:00+00:00",
    model="plates:v2",
    champion="v1",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path))


def test_an_answer_lies_beside_the_report_and_is_found_again(store: Store) -> None:
    kept = keep_answer(store, KEY, YES)

    assert KEY.startswith("reports/e1/approval-")
    assert kept == YES
    assert find_answer(store, KEY) == YES


def test_of_several_answers_the_first_one_counts(store: Store) -> None:
    keep_answer(store, KEY, YES)

    second = keep_answer(store, KEY, replace(YES, choice="reject", by="somebody else"))

    assert second == YES


def test_a_time_out_is_kept_and_answers_nothing(store: Store) -> None:
    keep_answer(store, KEY, replace(YES, choice="time-out", by=""))

    assert find_answer(store, KEY) is None
    assert len(list(store.list("reports/e1"))) == 1


def test_an_answer_after_the_clock_was_set_back_is_the_last_one(store: Store) -> None:
    other = approval_key("evaluations/e1", judged_by=(), moves=("v1", "v3", "v1"))
    keep_answer(store, KEY, YES)

    kept = keep_answer(store, other, replace(YES, choice="reject", at="2026-11-23T10:00:00+00:00"))

    assert kept.at == "2026-11-24T10:00:01+00:00"
    assert read_answers(store, "evaluations/e1") == [YES, kept]


def test_an_answer_is_kept_beside_one_that_is_damaged(store: Store) -> None:
    store.put_bytes(KEY.replace("/approval-", "/approval-0"), b"{}")

    assert keep_answer(store, KEY, YES) == YES


@pytest.mark.parametrize(
    ("evaluation", "judged_by", "moves"),
    [
        ("evaluations/e2", (), ("v1",)),
        ("evaluations/e1", ("evaluations/general",), ("v1",)),
        ("evaluations/e1", (), ("v1", "v3", "v1")),
    ],
    ids=["measured anew", "another further set", "the champion went and came back"],
)
def test_another_comparison_is_another_question(
    evaluation: str, judged_by: tuple[str, ...], moves: tuple[str, ...]
) -> None:
    assert approval_key(evaluation, judged_by=judged_by, moves=moves) != KEY


@pytest.mark.parametrize("written", [b"{}", b"[]", b"no json", b'{"choice": "approve"}'])
def test_what_is_no_answer_is_told_by_its_place(store: Store, written: bytes) -> None:
    store.put_bytes(KEY, written)

    with pytest.raises(BadData, match=re.escape(KEY)):
        find_answer(store, KEY)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("reads 8 at last", True),
        ("读得更好", True),
        (" padded ", True),
        ("", False),
        ("  ", False),
        ("a\tb", False),
        ("a\nb", False),
        ("\x1b[31mred", False),
        ("a\x7f", False),
        ("a\u202eb", False),
        ("a\u2028b", False),
    ],
)
def test_names_and_reasons_are_one_plain_line(text: str, is_plain: bool) -> None:
    assert bool(re.search(PLAIN, text)) is is_plain
