"""Rows of Parquet files that somebody else wrote, some in memory at a time.

A file of 6 kB can hold one text of a megabyte, and 20,000 rows that each say: that one.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ocr.errors import BadData

_ROWS_AT_ONCE: Final = 4096  # whose texts are in memory once each
_BYTES_AT_ONCE: Final = 2**29  # of texts that say what they share with the one before
_DICTIONARIES: Final = ("PLAIN_DICTIONARY", "RLE_DICTIONARY")
_ROWS_WRITTEN_OUT: Final = 256
_BYTES_WRITTEN_OUT: Final = 2**26
_MOST_TIMES: Final = 100
_LEAST_BYTES: Final = 2**30
"""Its rows may be so many times a file, or this, written out.

Labels are some 3 to 20 times their file; 10 million rows that all say the same text are within
these bytes.
"""


def read_parquet(
    file: BinaryIO,
    *,
    name: str,
    columns: Sequence[str],
    row_groups: Sequence[int] | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Yield rows in their order.

    Args:
        file: The Parquet file.
        name: Its name, for messages.
        columns: What to read of each row.
        row_groups: Which to read; None: all.

    Raises:
        BadData: A column is neither of texts nor of numbers, or the texts are far longer, written
            out, than those of such a file are.
        pyarrow.ArrowException: It is broken.
    """
    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    texts = [each.name for each in schema if is_text(each.type)]
    for each in schema:
        if each.name in columns and not _is_known(each.type):
            raise BadData(f"{name}: {each.name!r} is {each.type}, expected texts or numbers")
    most = left = max(_MOST_TIMES * file.seek(0, os.SEEK_END), _LEAST_BYTES)
    repeated, longest = [], 1
    for text in set(texts) & set(columns):
        encodings, size = _encodings(metadata, text)
        if "DELTA_BYTE_ARRAY" in encodings:
            longest = max(longest, size)
        elif not encodings.isdisjoint(_DICTIONARIES) and "DELTA_LENGTH_BYTE_ARRAY" not in encodings:
            repeated.append(text)
    table = pq.ParquetFile(file, metadata=metadata, read_dictionary=repeated)
    groups = range(table.num_row_groups) if row_groups is None else row_groups
    rows = min(_ROWS_AT_ONCE, max(1, _BYTES_AT_ONCE // longest))
    for batch in table.iter_batches(rows, row_groups=list(groups), columns=list(columns)):
        found = [_without_views(batch.column(column)) for column in columns]
        left -= sum(map(_text_bytes, found))
        if left < 0:
            raise BadData(
                f"{name} holds more than {most} bytes of texts once they are written out, which no "
                "table of labels or samples does; if this one does, write it as several"
            )
        step = min(_ROWS_WRITTEN_OUT, max(1, _BYTES_WRITTEN_OUT // max(map(_longest_text, found))))
        for start in range(0, len(batch), step):
            parts = (column.slice(start, step) for column in found)
            yield from zip(*map(_to_values, parts), strict=True)


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column holds texts, in any of the ways that Arrow keeps them."""
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in tests)


def _without_views(column: pa.Array) -> pa.Array:
    """Texts as those that have a length for Arrow; of views none is computed."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _is_known(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return is_text(value) or bool(pa.types.is_primitive(value) or pa.types.is_null(value))


def _encodings(metadata: pq.FileMetaData, text: str) -> tuple[set[str], int]:
    """Return how a column is written, and the most bytes of it in a row group."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    columns = [group.column(at) for group in groups for at in range(metadata.num_columns)]
    found = [column for column in columns if column.path_in_schema == text]
    encodings = {encoding for column in found for encoding in column.encodings}
    return encodings, max((column.total_uncompressed_size for column in found), default=0)


def _text_bytes(column: pa.Array) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0


def _longest_text(column: pa.Array) -> int:
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    return (is_text(texts.type) and pc.max(pc.binary_length(texts)).as_py()) or 1


def _to_values(column: pa.Array) -> list[Any]:
    is_encoded = pa.types.is_dictionary(column.type)
    return list((column.dictionary_decode() if is_encoded else column).to_pylist())
