"""Tables of images and texts: CSV, TSV and Parquet."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import SPACES, Encoding, read_lines
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection, shorten
from ocr.dataset.split import SPLITS, Split
from ocr.errors import BadData
from ocr.image.header import IMAGE_SUFFIXES
from ocr.parquet import is_text, read_parquet

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_EXCELS_FIRST = ["sep=", ""]
"""A line before the header that tells Excel what separates the columns."""
_QUOTING = (
    "a quotation mark that begins a cell opens a quote up to the next one; put a text that has any "
    'between two more and double its own, as Excel and pandas do: """5" is the text "5'
)


@dataclass(frozen=True)
class Columns:
    """Names of a table's columns; an empty group or split means the table has none."""

    image: str = "image"
    text: str = "text"
    group: str = ""
    split: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns a table must have."""
        return tuple(filter(None, (self.image, self.text, self.group, self.split)))


def parse_table(
    name: str, file: BinaryIO, *, columns: Columns, encoding: Encoding, split: Split | None
) -> Iterator[LineRow | Rejection]:
    """Parse a CSV or TSV file with a header line, or a Parquet file, by its suffix.

    A CSV file whose first line has semicolons and no comma is separated by those.

    Args:
        name: The table's name, for its suffix and for messages.
        file: The table.
        columns: Which columns to read.
        encoding: Encoding of a CSV or TSV file.
        split: Split its rows belong to; None where the preparation splits.

    Raises:
        BadData: For another suffix, a missing column, a broken file, one that is far larger than it
            looks, or columns of numbers with fractions, dates or the like, whose texts as written
            in the image are lost.
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".parquet":
        rows = _parquet_rows(name, file, columns)
    elif suffix in DELIMITERS:
        lines = read_lines(file, encoding=encoding, name=name, ends="")
        rows = _csv_rows(name, lines, columns, delimiter=DELIMITERS[suffix])
    else:
        allowed = ", ".join([*DELIMITERS, ".parquet"])
        raise BadData(f"{name} has the suffix {suffix!r}, a table has one of {allowed}")
    for number, values in rows:
        yield _to_row(values, columns, name=name, number=number, split=split)


def _to_row(
    values: Sequence[str] | str, columns: Columns, *, name: str, number: int, split: Split | None
) -> LineRow | Rejection:
    where = f"{name}:{number}"
    if isinstance(values, str):
        return Rejection("malformed_row", where, "", "", values)
    image, text = values[0].strip(), values[1].strip(SPACES)
    group = values[2].strip() if columns.group else ""
    written = values[-1].strip() if columns.split else ""
    if not image:
        return Rejection("malformed_row", where, "", text, f"the column {columns.image!r} is empty")
    if "\t" in text:
        return Rejection("tab_in_text", where, image, text, f"{text.count(chr(9))} tabs")
    if columns.split and written not in SPLITS:
        detail = f"{written!r} in the column {columns.split!r}, expected {', '.join(SPLITS)}"
        return Rejection("unknown_split", where, image, text, detail)
    own = next((each for each in SPLITS if each == written and each != "train"), split)
    return Row(image, LineLabel(text), own, group, name, where)


def _csv_rows(
    name: str, lines: Iterator[str], columns: Columns, *, delimiter: str
) -> Iterator[tuple[int, Sequence[str] | str]]:
    first = next(lines, "")
    if delimiter == "," and _is_of_semicolons(first):
        delimiter = ";"
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    end = 0
    try:
        header = next(reader, [])
        if header == _EXCELS_FIRST:
            header = next(reader, [])
        places = [_find_column(name, header, column) for column in columns.names]
        end = reader.line_num
        for fields in reader:
            start, end = end + 1, reader.line_num
            if end > start and _holds_rows(fields, header, delimiter=delimiter, image=places[0]):
                raise BadData(
                    f"{name}, line {start}: a cell holds the rows up to line {end}; {_QUOTING}"
                )
            if not any(fields):
                continue
            if len(fields) != len(header):
                yield end, f"{len(fields)} fields, the header has {len(header)}"
            else:
                yield end, [fields[place] for place in places]
    except csv.Error as error:
        start, last = end + 1, reader.line_num
        place = f" in line {last}, of a row that begins in this one" if last > start else ""
        raise BadData(f"{name}, line {start}: {error}{place}; {_QUOTING}") from error


def _is_of_semicolons(first: str) -> bool:
    """Tell by its first line what Excel writes where commas are decimal, as in German."""
    return ";" in first and "," not in first


def _holds_rows(
    fields: Sequence[str], header: Sequence[str], *, delimiter: str, image: int
) -> bool:
    """Tell whether the lines of one row are rows themselves, as no text or comment is."""
    rows = (line.split(delimiter) for line in delimiter.join(fields).splitlines())
    are_rows = [
        len(row) >= len(header) and row[image].strip().lower().endswith(IMAGE_SUFFIXES)
        for row in rows
    ]
    return are_rows[0] and any(are_rows[1:])


def _parquet_rows(
    name: str, file: BinaryIO, columns: Columns
) -> Iterator[tuple[int, Sequence[str] | str]]:
    try:
        schema = pq.read_schema(file)
        for column in columns.names:
            place = _find_column(name, schema.names, column)
            _check_type(name, column, schema.field(place).type)
        rows = read_parquet(file, name=name, columns=columns.names)
        for number, values in enumerate(rows, start=1):
            yield number, ["" if value is None else str(value) for value in values]
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{name} is not a readable Parquet file: {error}") from error


def _find_column(name: str, header: Sequence[str], column: str) -> int:
    if column not in header:
        raise BadData(
            f"{name} has no column {column!r}, its columns are {shorten(', '.join(header))!r}"
        )
    if header.count(column) > 1:
        raise BadData(f"{name} has {header.count(column)} columns {column!r}, expected one")
    return list(header).index(column)


def _check_type(name: str, column: str, kind: pa.DataType) -> None:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not is_text(plain) and not pa.types.is_integer(plain):
        raise BadData(f"{name}: the column {column!r} is {plain}, expected text")
