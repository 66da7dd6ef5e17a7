import io
import json
from pathlib import Path

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.labels.paddleocr import Delimiter, parse_paddleocr
from ocr.dataset.quarantine import Reason, Rejection
from ocr.errors import BadInput


def parse(content: str) -> list[LineRow | Rejection]:
    return list(parse_paddleocr(io.StringIO(content, newline="\n"), name="rec.txt", split="val"))


def pairs(content: str) -> list[tuple[str, str]]:
    rows = [row for row in parse(content) if not isinstance(row, Rejection)]
    assert len(rows) == len(parse(content))
    return [(row.image, row.label.text) for row in rows]


def test_row_knows_its_file_line_and_split() -> None:
    row = Row("a.jpg", LineLabel("A 1"), "val", "", "rec.txt", "rec.txt:1")
    assert parse("a.jpg\tA 1\n") == [row]


@pytest.mark.parametrize("text", ["待识别", "TEMPORARY"])
def test_placeholder_of_ppocrlabel_is_no_text(text: str) -> None:
    rejected, kept = parse(f"a.jpg\t{text}\nb.jpg\t{text} 1\n")

    assert isinstance(rejected, Rejection)
    assert (rejected.reason, rejected.where, rejected.text) == ("missing_text", "rec.txt:1", text)
    assert not isinstance(kept, Rejection)


@pytest.mark.parametrize(
    "content",
    [
        "a.jpg\tA\nb.jpg\tB\n",
        "a.jpg\tA\nb.jpg\tB",
        "a.jpg\tA\r\nb.jpg\tB\r\n",
        "\n\na.jpg\tA\n \t \r\nb.jpg\tB\n\n",
        "a.jpg\t A \nb.jpg\tB\u3000\n",
        " a.jpg \tA\nb.jpg\tB\n",
    ],
)
def test_line_ends_blank_lines_and_outer_spaces_do_not_matter(content: str) -> None:
    assert pairs(content) == [("a.jpg", "A"), ("b.jpg", "B")]


def test_line_numbers_count_blank_lines() -> None:
    assert [row.where for row in parse("\n\r\na.jpg\tA\n")] == ["rec.txt:3"]


def test_inner_spaces_and_odd_separators_stay_in_the_text() -> None:
    assert pairs("a.jpg\tA  B\u2028C\x0bD\n") == [("a.jpg", "A  B\u2028C\x0bD")]


def test_missing_text_is_kept_for_validation_to_judge() -> None:
    assert pairs("a.jpg\t\n") == [("a.jpg", "")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a.jpg A", "malformed_row"),
        ("a.jpg", "malformed_row"),
        ("\tA", "malformed_row"),
        ("a.jpg\tA\tB", "tab_in_text"),
        ("a.jpg\t\tA", "tab_in_text"),
        ("a.jpg\tA\t", "tab_in_text"),
        ('["a.jpg", 3]\tA', "malformed_row"),
        ("[1]\tA", "malformed_row"),
        ("[]\tA", "malformed_row"),
        ('a.jpg\t[{"transcription": "A", "points": [[1, 2]]}]', "malformed_row"),
        ('a.jpg\t[ { "points": [[1, 2]] } ]', "malformed_row"),
    ],
)
def test_row_of_another_form_is_rejected_and_the_next_read(line: str, reason: Reason) -> None:
    first, second = parse(f"{line}\nb.jpg\tB\n")

    assert isinstance(first, Rejection)
    assert (first.reason, first.where) == (reason, "rec.txt:1")
    assert not isinstance(second, Rejection)


def test_regions_of_a_page_are_told_from_texts_and_shown_in_short() -> None:
    regions = [{"transcription": "TOTAL", "points": [[1, 2]]}] * 50

    (row,) = parse(f"a.jpg\t{json.dumps(regions)}\n")

    assert isinstance(row, Rejection)
    assert "a preset of pages reads them" in row.detail
    assert len(row.text) == 80
    assert pairs("a.jpg\t[{ transcription }]\n") == [("a.jpg", "[{ transcription }]")]


def test_each_image_of_a_list_becomes_a_row() -> None:
    assert pairs('["a.jpg", "b.jpg"]\tA\n') == [("a.jpg", "A"), ("b.jpg", "A")]


def test_a_name_may_start_with_a_bracket() -> None:
    assert pairs("[1] a.jpg\tA\n") == [("[1] a.jpg", "A")]


def test_first_space_separates_where_spaces_do() -> None:
    lines = ["a.png  合计  12.50\r\n", "\n", "b.png\n", "c.png\tTWO WORDS\n", "d.png A\tB\n"]

    rows = list(parse_paddleocr(lines, name="rec.txt", split=None, delimiter="space"))

    first = rows[0]
    assert not isinstance(first, Rejection)
    assert (first.image, first.label.text) == ("a.png", "合计  12.50")
    assert [(row.where, row.reason) for row in rows[1:] if isinstance(row, Rejection)] == [
        ("rec.txt:3", "malformed_row"),
        ("rec.txt:4", "malformed_row"),
        ("rec.txt:5", "tab_in_text"),
    ]


@pytest.mark.parametrize(
    ("delimiter", "row", "fix"),
    [("tab", "a.png TEXT", "delimiter=space"), ("space", "a.png\tTEXT", "delimiter=tab")],
)
def test_other_delimiter_is_named_with_the_setting(
    delimiter: Delimiter, row: str, fix: str
) -> None:
    (rejection,) = parse_paddleocr([row], name="rec.txt", split=None, delimiter=delimiter)

    assert isinstance(rejection, Rejection)
    assert fix in rejection.detail


def test_delimiter_needs_label_files_of_paddleocr(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the source is 'table'"):
        LineLabelFiles("table", tmp_path, "a.csv", delimiter="space")


def test_brackets_without_end_are_the_name_of_a_file_that_is_not_there() -> None:
    name = "[" * 100_000

    assert pairs(f"{name}\tA\n") == [(name, "A")]
