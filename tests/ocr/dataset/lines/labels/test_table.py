import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.lines.labels.table import Columns, parse_table
from ocr.dataset.quarantine import Reason, Rejection
from ocr.errors import BadData

COLUMNS = Columns()
BY_PAGE = Columns(group="page")
REPEATED = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), ["x" * 1_000_000])


def parse(
    data: bytes, *, name: str = "t.csv", columns: Columns = COLUMNS
) -> list[LineRow | Rejection]:
    return list(parse_table(name, io.BytesIO(data), columns=columns, encoding="utf-8", split=None))


def parquet(**columns: list[Any] | pa.Array) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def test_csv_keeps_texts_as_written() -> None:
    data = b'image,text\r\na.jpg,0012\r\nb.jpg,"1,5 ""x"""\r\n\r\nc.jpg,NA\r\n'

    rows = [row for row in parse(data) if not isinstance(row, Rejection)]

    assert [row.label.text for row in rows] == ["0012", '1,5 "x"', "NA"]
    assert [row.where for row in rows] == ["t.csv:2", "t.csv:3", "t.csv:5"]


def test_tsv_and_mark_are_read() -> None:
    assert parse(b"\xef\xbb\xbfimage\ttext\na.jpg\tA\n", name="t.tsv") == [
        Row("a.jpg", LineLabel("A"), None, "", "t.tsv", "t.tsv:2")
    ]


@pytest.mark.parametrize("before", ["", "sep=;\r\n"])
def test_columns_that_semicolons_separate_are_read(before: str) -> None:
    data = f'\ufeff{before}image;text;page\r\na.jpg;1,50;7\r\nb.jpg;"x;y";\r\n'

    rows = [row for row in parse(data.encode(), columns=BY_PAGE) if not isinstance(row, Rejection)]

    assert [(row.image, row.label.text, row.group) for row in rows] == [
        ("a.jpg", "1,50", "7"),
        ("b.jpg", "x;y", ""),
    ]
    assert rows[0].where == ("t.csv:3" if before else "t.csv:2")


def test_semicolons_separate_nothing_where_commas_do() -> None:
    (row,) = parse(b"image,text,a;b\na.jpg,1;2,x\n")

    assert not isinstance(row, Rejection)
    assert row.label.text == "1;2"


def test_columns_are_found_by_name_and_groups_are_read() -> None:
    columns = Columns(image="path", text="label", group="page")

    (row,) = parse(b"label,extra,page,path\nA,x,7,a.jpg\n", columns=columns)

    assert row == Row("a.jpg", LineLabel("A"), None, "7", "t.csv", "t.csv:2")


def test_spaces_around_a_group_make_no_other_group() -> None:
    rows = parse(b"image,text,page\na.jpg,A,7 \nb.jpg,B, 7\nc.jpg,C, \n", columns=BY_PAGE)

    assert [row.group for row in rows if not isinstance(row, Rejection)] == ["7", "7", ""]


@pytest.mark.parametrize(
    ("header", "rows", "fault"),
    [
        ("image,text", ['a.jpg,"5', "b.jpg,6", 'c.jpg,7"'], "a cell holds the rows up to line 4"),
        ("image,text", ['a.jpg,"5', 'b.JPG,7"'], "a cell holds the rows up to line 3"),
        ("text,image", ['"5,a.jpg', '7",b.jpg'], "a cell holds the rows up to line 3"),
        ("image,text,page", ['a.jpg,"5,1', 'b.jpg,6,2"'], "a cell holds the rows up to line 3"),
        ("image,text,note", ['a.jpg,5,"1', 'b.jpg,6,2"'], "a cell holds the rows up to line 3"),
        ("image,text", ['a.jpg,"5', "b.jpg,6", 'c.jpg,"7'], "',' expected .* in line 4, of a row"),
        ("image,text", ['a.jpg,"5', "b.jpg,6"], "unexpected end of data in line 3, of a row"),
    ],
)
def test_quotation_mark_that_takes_rows_is_refused_by_its_line(
    header: str, rows: list[str], fault: str
) -> None:
    data = "\n".join([header, *rows, ""]).encode()

    with pytest.raises(BadData, match=f'^t.csv, line 2: {fault}.*; .* """5" is the text "5$'):
        parse(data)


@pytest.mark.parametrize(
    ("header", "row", "text"),
    [
        ("image,text,note", 'a.jpg,A,"dark,\r\nas b.jpg, too"', "A"),
        ("image,text", 'a.jpg,"A\nB, C"', "A\nB, C"),
        ("text,image", '"A\nB",a.jpg', "A\nB"),
    ],
)
def test_line_breaks_of_a_text_or_a_note_are_kept(header: str, row: str, text: str) -> None:
    *_, found = parse(f"{header}\n{row}\n".encode())

    assert not isinstance(found, Rejection)
    assert (found.image, found.label.text, found.where) == ("a.jpg", text, "t.csv:3")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_two_columns_of_one_name_are_refused(name: str) -> None:
    buffer = io.BytesIO()
    texts = [pa.array(["a.jpg"]), pa.array(["A"]), pa.array(["B"])]
    pq.write_table(pa.Table.from_arrays(texts, names=["image", "text", "text"]), buffer)
    data = b"image,text,text\na.jpg,A,B\n" if name == "t.csv" else buffer.getvalue()

    with pytest.raises(BadData, match="has 2 columns 'text', expected one"):
        parse(data, name=name)


def test_parquet_reads_text_and_whole_numbers() -> None:
    data = parquet(image=["a.jpg", "b.jpg"], text=["0012", None], page=[3, 4])

    rows = parse(data, name="t.parquet", columns=Columns(group="page"))

    assert [(row.label.text, row.group) for row in rows if not isinstance(row, Rejection)] == [
        ("0012", "3"),
        ("", "4"),
    ]


def test_parquet_reads_texts_however_arrow_keeps_them() -> None:
    kinds = (pa.string(), pa.large_string(), pa.string_view())
    tables = [parquet(image=pa.array(["a.jpg"], k), text=pa.array(["A"], k)) for k in kinds]

    rows = [parse(data, name="t.parquet") for data in tables]

    assert rows == [[Row("a.jpg", LineLabel("A"), None, "", "t.parquet", "t.parquet:1")]] * 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a.jpg", "malformed_row"),
        ("a.jpg,A,B", "malformed_row"),
        (",A", "malformed_row"),
        ("a.jpg,A\tB", "tab_in_text"),
    ],
)
def test_bad_row_is_rejected_and_the_next_read(line: str, reason: Reason) -> None:
    first, second = parse(f"image,text\n{line}\nb.jpg,B\n".encode())

    assert isinstance(first, Rejection)
    assert (first.reason, first.where) == (reason, "t.csv:2")
    assert not isinstance(second, Rejection)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"path,text\na,b\n", "no column 'image', its columns are 'path, text'"),
        ("t.csv", b"", "no column 'image'"),
        ("t.csv", b'image,text\na,"b\n', 'line 2: unexpected end of data; .* """5" is the text "5'),
        ("t.xlsx", b"", r"suffix '\.xlsx', a table has one of \.csv, \.tsv, \.parquet"),
        ("t.parquet", b"no parquet", "not a readable Parquet file"),
        ("t.parquet", parquet(image=REPEATED, text=REPEATED), "holds more than 1073741824 bytes"),
        ("t.parquet", parquet(image=["a"], text=[1.5]), "column 'text' is double, expected text"),
        ("t.parquet", parquet(image=["a"]), "no column 'text'"),
    ],
)
def test_unusable_table_is_refused_by_name(name: str, data: bytes, message: str) -> None:
    with pytest.raises(BadData, match=message):
        parse(data, name=name)


def test_column_says_the_split_and_what_it_says_else_is_quarantined() -> None:
    data = (
        b"image,text,page,fold\na.jpg,A,7,train\nb.jpg,B,7, test \nc.jpg,C,8,val\nd.jpg,D,8,dev\n"
    )

    *rows, bad = parse(data, columns=Columns(group="page", split="fold"))

    found = [(row.split, row.group) for row in rows if not isinstance(row, Rejection)]
    assert found == [(None, "7"), ("test", "7"), ("val", "8")]
    assert isinstance(bad, Rejection)
    assert (bad.reason, bad.where) == ("unknown_split", "t.csv:5")
    assert bad.detail == "'dev' in the column 'fold', expected train, val, test"
