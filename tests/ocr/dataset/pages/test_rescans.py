"""One page scanned twice is told by what it says; forms, plates and half a page are others."""

from collections.abc import Sequence

import pytest

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.rescans import MOST_PAGES, Rescan, find_rescans
from ocr.dataset.pages.snapshot import PageSample
from ocr.dataset.split import Split

RECEIPT = ("SANYU SHOP", "TEL 3362 4137", "3 X 2.90", "8.70", "CASH 10.00", "CHANGE 1.30", "TOTAL")
DATED = (*RECEIPT, "INV 0118810", "20/10/2017")


def page(image: str, split: Split, texts: Sequence[str]) -> PageSample:
    polygon = ((0, 0), (9, 0), (9, 9), (0, 9))
    return PageSample(
        id=image,
        image=image,
        split=split,
        source="",
        group="",
        width=9,
        height=9,
        shard="",
        offset=0,
        size=0,
        regions=tuple(Region(polygon, text, ignored=False) for text in texts),
    )


def named(learnt: Sequence[str], *, split: Split = "train", others: int = 0) -> bool:
    """Whether a page is named beside one of test that has all texts."""
    more = [page(f"{n}.png", "train", (*RECEIPT, f"{n}", f"{n}/1/2018")) for n in range(others)]
    pages = [page("test.png", "test", DATED), *more, page("scan.png", split, learnt)]
    found = find_rescans(pages)
    assert found in ([], [Rescan("scan.png", split, "test.png")])
    return bool(found)


@pytest.mark.parametrize("split", ["train", "val"])
def test_a_page_that_says_the_same_in_another_order_is_named(split: Split) -> None:
    assert named(DATED[::-1], split=split)


def test_one_number_and_some_words_may_be_mistyped() -> None:
    assert named(["SANYU SHCP", *DATED[1:-2], "INV 0118818", "20/10/2017"])


@pytest.mark.parametrize(
    "learnt",
    [
        (*RECEIPT, "INV 0077188", "10/04/2017"),
        (*RECEIPT, "INV 0118810"),
        ("AN OTHER SHOP", "PHONE", *DATED[2:-3], "SUM", "NO 3362 4137 0118810", "20/10/2017"),
    ],
    ids=["another date and number", "a part of it", "other words"],
)
def test_another_page_is_not(learnt: Sequence[str]) -> None:
    assert not named(learnt)


def test_pages_with_few_numbers_are_not() -> None:
    meter = ("No 83 1702", "00123", "kWh")
    pages = [page("a.png", "test", meter), page("b.png", "train", meter)]

    assert find_rescans(pages) == []


def test_one_of_many_receipts_of_a_shop_is() -> None:
    assert named(DATED, others=2 * MOST_PAGES)


@pytest.mark.parametrize("filled", ["", "0.7 bar"])
def test_forms_on_which_one_number_differs_at_most_are_not(filled: str) -> None:
    printed = [f"{n}. limit {5 * n}" for n in range(12)]
    forms = [
        page(f"{n}.png", "train" if n else "test", [*printed, filled.replace("7", str(n))])
        for n in range(20)
    ]

    assert find_rescans(forms) == []


@pytest.mark.parametrize("texts", [(), ("no number",), DATED])
def test_pages_of_one_split_are_not(texts: Sequence[str]) -> None:
    assert find_rescans([]) == []
    for split in ("train", "test"):
        assert find_rescans([page(f"{n}.png", split, texts) for n in range(3)]) == []
