import pytest

from ocr.dataset.candidate import Candidate, EncodedImage, Row
from ocr.dataset.duplicates import drop_duplicates, find_leaks, split_keys
from ocr.dataset.lines.copies import HASH_BYTES
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.quarantine import Reason
from ocr.dataset.split import Split
from ocr.dataset.spool import SpoolPlace


def candidate(
    image: str, text: str, split: Split | None = None, *, number: int = 1, group: str = ""
) -> Candidate[LineLabel]:
    place = SpoolPlace("1.spool", 0, 1)
    encoded = EncodedImage(image, 10, 10, bytes(HASH_BYTES), ".png", place)
    row = Row(f"{number}.png", LineLabel(text), split, group, "rec", f"rec:{number}")
    return Candidate(row, encoded)


CASES: list[tuple[list[Candidate[LineLabel]], list[str], list[Reason]]] = [
    ([candidate("a", "A"), candidate("b", "A")], ["1", "1"], []),
    ([candidate("a", "A"), candidate("a", "A", number=2)], ["1"], ["duplicate"]),
    ([candidate("a", "A"), candidate("a", "B", number=2)], [], ["duplicate_with_other_text"] * 2),
    (
        [candidate("a", "A"), candidate("a", "A", "test", number=2)],
        ["2"],
        ["same_image_in_two_splits"],
    ),
    (
        [candidate("a", "A", "val"), candidate("a", "A", "test", number=2)],
        ["2"],
        ["same_image_in_two_splits"],
    ),
    (
        [candidate("a", "A"), candidate("a", "B", "test", number=2)],
        ["2"],
        ["duplicate_with_other_text"],
    ),
    (
        [candidate("a", "A", "test"), candidate("a", "B", "test", number=2), candidate("a", "A")],
        [],
        ["duplicate_with_other_text", "duplicate_with_other_text", "same_image_in_two_splits"],
    ),
]


@pytest.mark.parametrize(("rows", "kept", "reasons"), CASES)
def test_one_row_per_image_stays_that_of_the_most_protected_split(
    rows: list[Candidate[LineLabel]], kept: list[str], reasons: list[Reason]
) -> None:
    for given in (rows, rows[::-1]):
        left, rejections = drop_duplicates(given)

        assert [each.row.image.removesuffix(".png") for each in left] == kept
        assert sorted(each.reason for each in rejections) == sorted(reasons)


def test_group_and_likeness_both_tie_candidates_together() -> None:
    rows = [
        candidate("a", "A", group="p1"),
        candidate("b", "B", group="p1"),
        candidate("c", "B"),
        candidate("d", "D"),
    ]

    keys = split_keys(rows, clusters=[0, 1, 1, 2])

    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_nothing_has_no_keys() -> None:
    assert split_keys([], clusters=[]) == []


def test_leaks_are_taken_from_the_less_protected_split() -> None:
    rows = [candidate("a", "A"), candidate("b", "A"), candidate("c", "A"), candidate("d", "D")]

    leaks = find_leaks(rows, ["train", "test", "val", "val"], clusters=[0, 0, 0, 1])

    assert sorted(leaks) == [0, 2]
    assert {leak.reason for leak in leaks.values()} == {"near_image_in_two_splits"}
