from dataclasses import replace

import pytest

from ocr.dataset.split import Split, SplitRule, assign_splits
from ocr.errors import BadInput
from tests.ocr.dataset.rules import SPLIT

KEYS = [f"{number:064x}" for number in range(2000)]


def test_shares_are_close_to_what_was_asked() -> None:
    splits = assign_splits(KEYS, rule=replace(SPLIT, val_share=0.2, test_share=0.1))

    assert 0.17 < splits.count("val") / len(KEYS) < 0.23
    assert 0.08 < splits.count("test") / len(KEYS) < 0.12


def test_order_does_not_matter_and_the_seed_does() -> None:
    rule = replace(SPLIT, seed=1)

    splits = dict(zip(KEYS, assign_splits(KEYS, rule=rule), strict=True))
    turned = dict(zip(KEYS[::-1], assign_splits(KEYS[::-1], rule=rule), strict=True))
    reseeded = dict(zip(KEYS, assign_splits(KEYS, rule=replace(SPLIT, seed=2)), strict=True))

    assert splits == turned
    assert splits != reseeded


def test_samples_do_not_move_when_others_join() -> None:
    few = assign_splits(KEYS[:500], rule=SPLIT)
    many = assign_splits(KEYS, rule=SPLIT)

    assert many[:500] == few


def test_equal_keys_stay_together() -> None:
    splits = assign_splits([key for key in KEYS for _ in range(2)], rule=SPLIT)

    assert splits[::2] == splits[1::2]


@pytest.mark.parametrize("count", [3, 4, 5, 8, 12])
def test_few_samples_still_fill_every_split(count: int) -> None:
    for seed in range(50):
        splits = assign_splits(KEYS[:count], rule=replace(SPLIT, seed=seed))
        assert set(splits) == {"train", "val", "test"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("val",), {"train", "test"}),
        (("test",), {"train", "val"}),
        (("val", "test"), {"train"}),
    ],
)
def test_given_splits_get_nothing(given: tuple[Split, ...], expected: set[Split]) -> None:
    assert set(assign_splits(KEYS, rule=SPLIT, given=given)) == expected


def test_no_share_is_no_split() -> None:
    splits = assign_splits(KEYS, rule=replace(SPLIT, val_share=0, test_share=0.1))

    assert set(splits) == {"train", "test"}


def test_shares_that_leave_no_train_are_refused() -> None:
    with pytest.raises(BadInput, match=r"sum to 1\.1, expected less than 1"):
        SplitRule(val_share=0.5, test_share=0.6, seed=0)
