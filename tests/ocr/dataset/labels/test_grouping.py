"""Groups by the paths of images, however these are spelled."""

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.labels.grouping import group_rows
from ocr.dataset.lines.label import LineLabel

LONG = "e" + "\u0301" * 255


@pytest.mark.parametrize("again", ["caf\u00e9\\2.png", "cafe\u0301/2.png"])
def test_a_folder_is_one_group_by_whatever_spelling(again: str) -> None:
    images = ["caf\u00e9/1.png", again]
    rows = [Row(image, LineLabel("A"), None, "", "labels.txt", "labels.txt:1") for image in images]

    grouped = group_rows(rows, pattern="^([^/]+)/", asked="group_pattern")

    assert {row.group for row in grouped if isinstance(row, Row)} == {"caf\u00e9"}


@pytest.mark.parametrize(
    ("given", "groups"),
    [
        (["caf\u00e9", "cafe\u0301"], {"caf\u00e9"}),
        ([LONG], {LONG}),
    ],
    ids=["one", "longer than any"],
)
def test_a_name_is_one_group_with_its_accents_joined_or_apart(
    given: list[str], groups: set[str]
) -> None:
    rows = [
        Row(f"{number}.png", LineLabel("A"), None, group, "labels.csv", f"labels.csv:{number}")
        for number, group in enumerate(given, start=2)
    ]

    grouped = group_rows(rows, pattern="", asked="group_column")

    assert {row.group for row in grouped if isinstance(row, Row)} == groups
