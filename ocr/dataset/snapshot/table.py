"""Reads the table of a snapshot row by row, some in memory at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ocr.dataset.split import Split

_ROWS_AT_ONCE = 4096  # of a row group, as Python objects


def read_rows(
    path: Path, *, split: Split | None, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split in their order; row groups without any are not read.

    Args:
        path: The Parquet file.
        split: The split; None: all rows.
        columns: What to read of each row, the split among it; None: everything.
    """
    with pq.ParquetFile(path) as file:
        groups = [at for at in range(file.num_row_groups) if _may_hold(file, at, split)]
        for batch in file.iter_batches(_ROWS_AT_ONCE, row_groups=groups, columns=columns):
            for row in batch.to_pylist():
                if split is None or row["split"] == split:
                    yield row


def read_texts(path: Path) -> Iterator[str]:
    """Yield the texts of lines, of all splits."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=["text"]):
            yield from batch.column(0).to_pylist()


def _may_hold(file: pq.ParquetFile, group: int, split: Split | None) -> bool:
    place = file.schema_arrow.names.index("split")
    found = file.metadata.row_group(group).column(place).statistics
    if split is None or found is None or not found.has_min_max:
        return True
    return bool(found.min <= split <= found.max)
