"""The columns of a batch, and one table out of those of many shards."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

LINES: Final = "lines.parquet"
FILES: Final = "files.parquet"
QUARANTINE: Final = "quarantine.parquet"

_POINT = pa.list_(pa.float32(), 2)
SCHEMAS: Final[dict[str, pa.Schema]] = {
    LINES: pa.schema(
        {
            "path": pa.string(),
            "page": pa.int32(),
            "line": pa.int32(),
            "text": pa.string(),
            "confidence": pa.float32(),
            "polygon": pa.list_(_POINT),
            "model": pa.string(),
            "version": pa.string(),
        }
    ),
    FILES: pa.schema(
        {
            "path": pa.string(),
            "bytes": pa.int64(),
            "content": pa.string(),
            "pages": pa.int32(),
            "lines": pa.int32(),
        }
    ),
    QUARANTINE: pa.schema(
        {"path": pa.string(), "page": pa.int32(), "reason": pa.string(), "detail": pa.string()}
    ),
}
"""A row a line; a row a file that was listed, with the pages and lines read of it; a row a file
(page 0) or page that could not be read. Pages and lines count from 1, in reading order; a polygon
is [[x, y], …] in pixels of the page, clockwise from where reading begins."""

ROWS_AT_ONCE: Final = 16_384


class TableWriter:
    """Writes one of the tables, a bounded number of rows in memory; with no row, an empty one."""

    def __init__(self, folder: Path, name: str) -> None:
        self._schema = SCHEMAS[name]
        self._writer = pq.ParquetWriter(folder / name, self._schema, compression="zstd")
        self._rows: list[Sequence[Any]] = []
        self._batches: list[pa.RecordBatch] = []
        self._held = 0

    def __enter__(self) -> "TableWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._flush()
        self._writer.close()

    def add(self, *row: Any) -> None:
        """Add a row, its values in the order of the columns."""
        self._rows.append(row)
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def copy(self, table: Path) -> None:
        """Add all rows of a file of the same columns."""
        for batch in pq.ParquetFile(table).iter_batches(batch_size=ROWS_AT_ONCE):
            self._batches.append(batch)
            self._held += batch.num_rows
            if self._held >= ROWS_AT_ONCE:
                self._flush()

    def _flush(self) -> None:
        if self._rows:
            columns = zip(*self._rows, strict=True)
            arrays = [
                pa.array(map(_plain, values), field.type)
                for field, values in zip(self._schema, columns, strict=True)
            ]
            self._batches.append(pa.record_batch(arrays, schema=self._schema))
        if self._batches:
            table = pa.Table.from_batches(self._batches, self._schema)
            self._writer.write_table(table, row_group_size=4 * ROWS_AT_ONCE)
        self._rows, self._batches, self._held = [], [], 0


def join_tables(folder: Path, parts: Iterable[Path]) -> None:
    """Write the tables of a batch, one part after another.

    Args:
        folder: Where to.
        parts: Folders with a part of each table; one is read before the next is asked for.
    """
    with (
        TableWriter(folder, LINES) as lines,
        TableWriter(folder, FILES) as files,
        TableWriter(folder, QUARANTINE) as quarantine,
    ):
        for part in parts:
            lines.copy(part / LINES)
            files.copy(part / FILES)
            quarantine.copy(part / QUARANTINE)


def _plain(value: Any) -> Any:
    """Return a value that a file holds: names that are no UTF-8 have lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
