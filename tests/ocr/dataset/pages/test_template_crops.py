from collections import Counter
from pathlib import Path

import pytest

from ocr.dataset.quarantine import TooManyRejected
from ocr.store import Store
from tests.ocr.dataset.pages.invoices import SPLITS, STATIC, cut, fetch, write_invoices


def test_every_split_keeps_the_words_of_the_template(store: Store, tmp_path: Path) -> None:
    write_invoices(tmp_path / "data")

    made = cut(store, tmp_path / "data")

    assert made.quarantine == ()
    snapshot = fetch(store, made, tmp_path)
    for split, count in SPLITS.items():
        texts = Counter(line.text for line in snapshot.samples(split))
        assert [texts[text] for text in STATIC] == [count] * 3


def test_equal_crops_of_a_split_are_stored_once(store: Store, tmp_path: Path) -> None:
    write_invoices(tmp_path / "data")

    snapshot = fetch(store, cut(store, tmp_path / "data"), tmp_path)

    dates = [line for line in snapshot.samples("train") if line.text == "Date"]
    assert len({(line.shard, line.offset) for line in dates}) == 1
    assert len({line.group for line in dates}) == len(dates) == 30
    shard = (snapshot.folder / dates[0].shard).read_bytes()
    held_out = [
        next(line for line in snapshot.samples(split) if line.text == "Date")
        for split in ("val", "test")
    ]
    assert [shard.count(snapshot.image_bytes(one)) for one in (dates[0], *held_out)] == [1, 2, 2]


def test_crops_that_read_otherwise_than_most_of_their_equals_are_quarantined(
    store: Store, tmp_path: Path
) -> None:
    write_invoices(tmp_path / "data", misread=3)

    made = cut(store, tmp_path / "data")

    (found,) = made.quarantine
    assert (found.reason, found.count) == ("duplicate_with_other_text", 3)
    assert found.examples[0].where == "0.png region 2"
    assert found.examples[0].detail == "27 of 30 equal crops read 'Date'"
    assert made.counts["accepted"] == 157


def test_of_crops_without_a_majority_none_is_learnt(store: Store, tmp_path: Path) -> None:
    write_invoices(tmp_path / "data", misread=15)

    with pytest.raises(TooManyRejected, match="30 of 160 rows are bad"):
        cut(store, tmp_path / "data")


def test_crops_of_one_split_have_no_say_in_what_equal_ones_of_another_read(
    store: Store, tmp_path: Path
) -> None:
    write_invoices(tmp_path / "data", misread=30)

    made = cut(store, tmp_path / "data")

    assert made.quarantine == ()
    snapshot = fetch(store, made, tmp_path)
    assert Counter(line.text for line in snapshot.samples("train"))["Dale"] == 30
    assert Counter(line.text for line in snapshot.samples("test"))["Date"] == 5
