import os
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ocr.dataset.split import SPLITS, TEST, Split, SplitRule, assign_splits
from ocr.errors import BadInput
from tests.ocr.dataset.rules import SPLIT

KEYS = [f"{number:064x}" for number in range(2000)]


def split_keys(keys: Sequence[str], *, rule: SplitRule, given: Sequence[Split] = ()) -> list[Split]:
    return [SPLITS[split] for split in assign_splits(keys, rule=rule, given=given)]


def test_shares_are_close_to_what_was_asked() -> None:
    splits = split_keys(KEYS, rule=replace(SPLIT, val_share=0.2, test_share=0.1))

    assert 0.17 < splits.count("val") / len(KEYS) < 0.23
    assert 0.08 < splits.count("test") / len(KEYS) < 0.12


def test_order_does_not_matter_and_the_seed_does() -> None:
    rule = replace(SPLIT, seed=1)

    splits = dict(zip(KEYS, split_keys(KEYS, rule=rule), strict=True))
    turned = dict(zip(KEYS[::-1], split_keys(KEYS[::-1], rule=rule), strict=True))
    reseeded = dict(zip(KEYS, split_keys(KEYS, rule=replace(SPLIT, seed=2)), strict=True))

    assert splits == turned
    assert splits != reseeded


def test_samples_do_not_move_when_others_join() -> None:
    few = split_keys(KEYS[:500], rule=SPLIT)
    many = split_keys(KEYS, rule=SPLIT)

    assert many[:500] == few


@pytest.mark.parametrize("count", [4, 6, 12])
def test_test_lends_nothing_where_two_sets_have_their_place_elsewhere(count: int) -> None:
    draw = random.Random(count)
    checked = 0
    for seed in range(200):
        rule = SplitRule(val_share=0.1, test_share=0.4, seed=seed)
        keys = KEYS[seed : seed + count]
        ties = np.array([draw.randrange(count) for _ in keys])
        in_test = {tie for tie, key in zip(ties, keys, strict=True) if own_place(key, rule) == TEST}

        splits = assign_splits(keys, rule=rule, ties=ties)

        if in_test and len(set(ties) - in_test) >= 2:
            checked += 1
            assert {tie for tie, at in zip(ties, splits, strict=True) if at == TEST} == in_test
    assert checked > 50


def own_place(key: str, rule: SplitRule) -> int:
    """Where a key goes alone, when there is nothing to lend or borrow."""
    return int(assign_splits([key], rule=rule)[0])


def test_what_is_tied_goes_where_its_most_protected_key_has_its_place() -> None:
    keys = KEYS[:3]
    for seed in range(100):
        rule = SplitRule(val_share=0.3, test_share=0.3, seed=seed)

        splits = assign_splits(keys, rule=rule, ties=np.zeros(3, np.int64))

        assert list(splits) == [max(own_place(key, rule) for key in keys)] * 3


def test_equal_keys_stay_together() -> None:
    splits = split_keys([key for key in KEYS for _ in range(2)], rule=SPLIT)

    assert splits[::2] == splits[1::2]


def test_a_document_of_a_folder_whose_name_is_no_utf8_has_its_place_too() -> None:
    names = [os.fsdecode(b"\xff%d" % number) for number in range(20)]

    assert set(split_keys(names, rule=SPLIT)) == set(SPLITS)


@pytest.mark.parametrize("count", [3, 4, 5, 8, 12])
def test_few_samples_still_fill_every_split(count: int) -> None:
    for seed in range(50):
        splits = split_keys(KEYS[:count], rule=replace(SPLIT, seed=seed))
        assert set(splits) == {"train", "val", "test"}


def test_an_empty_split_borrows_what_is_nearest_to_it() -> None:
    for seed in range(10):
        rule = SplitRule(val_share=0.0, test_share=0.001, seed=seed)

        splits = assign_splits(KEYS[:5], rule=rule)

        (borrowed,) = np.flatnonzero(splits == TEST)
        growing = (replace(rule, test_share=per_mille / 1000) for per_mille in range(1, 1000))
        first = next(wider for wider in growing if any(own_place(k, wider) for k in KEYS[:5]))
        assert own_place(KEYS[borrowed], first) == TEST


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("val",), {"train", "test"}),
        (("test",), {"train", "val"}),
        (("val", "test"), {"train"}),
    ],
)
def test_given_splits_get_nothing(given: tuple[Split, ...], expected: set[Split]) -> None:
    assert set(split_keys(KEYS, rule=SPLIT, given=given)) == expected


def test_val_stays_where_it_was_once_test_is_frozen() -> None:
    before = np.array(split_keys(KEYS, rule=SPLIT))
    rest = np.flatnonzero(before != "test")

    frozen = assign_splits(
        [KEYS[at] for at in rest], rule=SPLIT, given=("test",), frozen_share=SPLIT.test_share
    )
    joining = assign_splits(KEYS, rule=SPLIT, given=("test",), frozen_share=SPLIT.test_share)

    assert [SPLITS[split] for split in frozen] == before[rest].tolist()
    assert {SPLITS[split] for split in joining[before == "test"]} == {"train"}


def test_no_share_is_no_split() -> None:
    splits = split_keys(KEYS, rule=replace(SPLIT, val_share=0, test_share=0.1))

    assert set(splits) == {"train", "test"}


def test_shares_that_leave_no_train_are_refused() -> None:
    with pytest.raises(BadInput, match=r"sum to 1\.1, expected less than 1"):
        SplitRule(val_share=0.5, test_share=0.6, seed=0)
