"""What stays of a set that was refused: the whole list of its bad rows."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from ocr.dataset.quarantine import TooManyRejected
from ocr.store import Store, open_store
from tests.ocr.dataset.lines import preparing as lines
from tests.ocr.dataset.pages import preparing as pages
from tests.ocr.dataset.pages.sheets import add_row, entry, write_page, write_pages
from tests.ocr.image.pictures import write_labels

Cells = list[list[str]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def line_root(tmp_path: Path) -> Path:
    write_labels(tmp_path / "lines", "rec_train.txt", lines.TRAIN)
    write_labels(tmp_path / "lines", "rec_val.txt", lines.VAL)
    write_labels(tmp_path / "lines", "rec_test.txt", lines.TEST)
    return tmp_path / "lines"


def read_list(error: TooManyRejected) -> tuple[Cells, Cells]:
    """The rows of the table and of the CSV file that an error names."""
    named = [word for word in str(error).split() if word.startswith("file://")]
    table, sheet = (Path(urlsplit(uri).path) for uri in named)
    assert (table.name, sheet.name) == ("quarantine.parquet", "quarantine.csv")
    header, *cells = csv.reader(io.StringIO(sheet.read_bytes().decode("utf-8-sig"), newline=""))
    assert header == ["reason", "where", "image", "text", "detail"]
    return [list(row.values()) for row in pq.read_table(table).to_pylist()], cells


def test_every_bad_row_of_a_refused_set_is_kept_and_the_error_says_where(
    store: Store, line_root: Path
) -> None:
    lines.add(line_root, *(f"gone{number}.png\t合计 {number}" for number in range(9)))

    with pytest.raises(TooManyRejected) as stop:
        lines.prepare(store, line_root, limits=replace(lines.LIMITS, max_bad_share=0.1))

    table, sheet = read_list(stop.value)
    assert table == sheet
    assert [row[:4] for row in table] == [
        ["missing_image", f"rec_train.txt:{number + 21}", f"gone{number}.png", f"合计 {number}"]
        for number in range(9)
    ]


def test_a_cell_that_a_spreadsheet_would_calculate_is_a_text(store: Store, line_root: Path) -> None:
    formulas = ["=cmd|' /C calc'!A0", "+49", "-12.50", "@SUM(A1)", "\N{FULLWIDTH EQUALS SIGN}1"]
    lines.add(line_root, *(f"gone.png\t{text}" for text in formulas), "gone.png\t12-50")

    with pytest.raises(TooManyRejected) as stop:
        lines.prepare(store, line_root, limits=replace(lines.LIMITS, max_bad_share=0.1))

    table, sheet = read_list(stop.value)
    assert [row[3] for row in table] == [*formulas, "12-50"]
    assert [row[3] for row in sheet] == [*(f"'{text}" for text in formulas), "12-50"]


def test_a_stored_set_that_a_stricter_share_refuses_names_its_rows_too(
    store: Store, line_root: Path
) -> None:
    lines.add(line_root, "gone1.png\tA", "gone2.png\tB")
    lines.prepare(store, line_root)

    for _ in range(2):  # the second time, the list is there already
        with pytest.raises(TooManyRejected) as stop:
            lines.prepare(store, line_root, limits=replace(lines.LIMITS, max_bad_share=0.01))

        table, sheet = read_list(stop.value)
        assert [row[2] for row in table] == ["gone1.png", "gone2.png"]
        assert table == sheet


def test_a_set_without_a_good_row_in_a_split_keeps_its_list(store: Store, line_root: Path) -> None:
    (line_root / "rec_val.txt").write_text("gone.png\tA\n")

    with pytest.raises(TooManyRejected, match="the val split is empty") as stop:
        lines.prepare(store, line_root)

    assert [row[1] for row in read_list(stop.value)[0]] == ["rec_val.txt:1"]


def test_refused_pages_keep_the_list_of_their_bad_regions(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "pages"
    for name, content in (("train", pages.TRAIN), ("val", pages.VAL), ("test", pages.TEST)):
        write_pages(root, f"det_{name}.txt", content)
    crossed = [[8, 12], [180, 44], [180, 12], [8, 44]]
    write_page(root, "new.png", ["NEW", "PAGE"])
    add_row(root, "det_train.txt", "new.png", [{**entry("NEW", 0), "points": crossed}] * 9)

    with pytest.raises(TooManyRejected) as stop:
        pages.prepare(store, root, limits=replace(pages.LIMITS, max_bad_share=0.1))

    table, sheet = read_list(stop.value)
    assert [row[:2] for row in table] == [
        ["self_crossing", f"det_train.txt:13 region {number}"] for number in range(1, 10)
    ]
    assert table == sheet
    assert not [key for key in store.list("datasets/d") if "refused" not in key]
