from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.candidate import Candidate, EncodedImage, Row
from ocr.dataset.collecting import collect
from ocr.dataset.duplicates import drop_duplicates, find_leaks, tie
from ocr.dataset.lines.copies import HASH_BYTES
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.quarantine import Reason
from ocr.dataset.split import TEST, TRAIN, VAL, Codes, Split
from ocr.dataset.spool import Spool, SpoolPlace


def candidate(
    image: str, text: str, split: Split | None = None, *, number: int = 1, group: str = ""
) -> Candidate[LineLabel]:
    place = SpoolPlace("1.spool", 0, 1)
    encoded = EncodedImage(f"{int(image, 16):064x}", 10, 10, bytes(HASH_BYTES), ".png", place)
    row = Row(f"{number}.png", LineLabel(text), split, group, "rec", f"rec:{number}")
    return Candidate(row, encoded)


def codes(*numbers: int) -> Codes:
    return np.array(numbers, np.int32)


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
    rows: list[Candidate[LineLabel]], kept: list[str], reasons: list[Reason], tmp_path: Path
) -> None:
    for given in (rows, rows[::-1]):
        table, _ = collect(given, spool=Spool(tmp_path))
        left, rejections = drop_duplicates(table)

        assert [table[at].row.image.removesuffix(".png") for at in left.tolist()] == kept
        assert sorted(each.reason for each in rejections) == sorted(reasons)


def again(text: str, *, where: str) -> Candidate[LineLabel]:
    one = candidate("a", text)
    return one._replace(row=one.row._replace(where=where))


def test_of_an_image_that_is_labelled_twice_the_first_line_is_kept(tmp_path: Path) -> None:
    for place in ("rec:{}", "tasks.json task {}"):
        rows = [again("A", where=place.format(number)) for number in (129, 2)]
        table, _ = collect(rows, spool=Spool(tmp_path))

        kept, (rejection,) = drop_duplicates(table)

        assert table[kept.tolist()[0]].row.where == place.format(2)
        assert rejection.where == place.format(129)
        assert rejection.detail == f"same as {place.format(2)}"


def test_each_of_two_labels_of_an_image_names_the_other(tmp_path: Path) -> None:
    table, _ = collect(
        [again("A", where="rec:10"), again("B", where="rec:9")], spool=Spool(tmp_path)
    )

    _, rejections = drop_duplicates(table)

    assert [(each.where, each.detail) for each in rejections] == [
        ("rec:9", "rec:10 reads 'A'"),
        ("rec:10", "rec:9 reads 'B'"),
    ]


GROUPED: list[tuple[list[Candidate[LineLabel]], list[str], list[Reason]]] = [
    ([candidate("a", "A", group="x"), candidate("a", "A", number=2, group="y")], ["1", "2"], []),
    ([candidate("a", "A", group="x"), candidate("a", "A", number=2, group="x")], ["1", "2"], []),
    ([candidate("a", "A", group="x"), candidate("a", "A", group="x")], ["1"], ["duplicate"]),
    ([candidate("a", "A", group="x"), candidate("a", "B", number=2, group="y")], ["1", "2"], []),
    (
        [candidate("a", "A", "test", group="x"), candidate("a", "A", number=2, group="y")],
        ["1", "2"],
        [],
    ),
    ([candidate("a", "A"), candidate("a", "A", number=2, group="y")], ["2"], ["duplicate"]),
    (
        [candidate("a", "A", "test"), candidate("a", "A", number=2, group="y")],
        ["1"],
        ["same_image_in_two_splits"],
    ),
    ([candidate("a", "A"), candidate("a", "A", number=2)], ["1"], ["duplicate"]),
]


@pytest.mark.parametrize(("rows", "kept", "reasons"), GROUPED)
def test_equal_lines_of_documents_are_no_copies(
    rows: list[Candidate[LineLabel]], kept: list[str], reasons: list[Reason], tmp_path: Path
) -> None:
    for given in (rows, rows[::-1]):
        table, _ = collect(given, spool=Spool(tmp_path))
        left, rejections = drop_duplicates(table, groups_repeat=True)

        found = sorted(table[at].row.image.removesuffix(".png") for at in left.tolist())
        assert found == kept
        assert [each.reason for each in rejections] == reasons


@pytest.mark.parametrize(
    ("image", "again"),
    [
        ("a/1.png", "./a/1.png"),
        ("a/1.png", "a//1.png"),
        ("a/1.png", "a\\1.png"),
        ("caf\u00e9/1.png", "cafe\u0301/1.png"),
    ],
)
def test_line_of_a_document_counts_once_by_whatever_spelling_of_its_path(
    image: str, again: str, tmp_path: Path
) -> None:
    line = candidate("a", "A", group="x")
    rows = [line._replace(row=line.row._replace(image=name)) for name in (image, again)]
    table, _ = collect(rows, spool=Spool(tmp_path))

    kept, rejections = drop_duplicates(table, groups_repeat=True)

    assert (len(kept), [each.reason for each in rejections]) == (1, ["duplicate"])


def test_rows_that_share_any_number_are_tied_chains_included() -> None:
    clusters, groups = codes(0, 1, 1, 2, 3), codes(0, 0, 1, 2, 3)

    ties = tie(clusters, groups)

    assert ties[0] == ties[1] == ties[2]
    assert len(set(ties)) == 3


def test_leaks_lie_in_a_less_protected_split_than_the_first_that_keeps_its_own() -> None:
    splits = codes(TRAIN, TEST, VAL, VAL, TEST).astype(np.int8)

    leaking, keepers = find_leaks(splits, codes(0, 0, 0, 1, 0))

    assert list(leaking) == [0, 2]
    assert list(keepers) == [1, 1]


def test_nothing_is_tied_and_nothing_leaks_where_there_is_nothing() -> None:
    nothing = codes()

    assert len(tie(nothing, nothing)) == len(find_leaks(nothing.astype(np.int8), nothing)[0]) == 0
