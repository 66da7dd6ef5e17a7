"""Reads the table of a snapshot row by row, some in memory at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ocr.dataset.split import Split
from ocr.parquet import read_parquet


def read_rows(
    path: Path, *, split: Split | None, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split in their order; row groups without any are not read.

    Args:
        path: The Parquet file.
        split: The split; None: all rows.
        columns: What to read of each row, the split among it; None: everything.

    Raises:
        BadData: As `ocr.parquet.read_parquet` does.
    """
    with path.open("rb") as file:
        metadata = pq.read_metadata(file)
        names = columns or metadata.schema.names
        groups = [at for at in range(metadata.num_row_groups) if _may_hold(metadata, at, split)]
        for values in read_parquet(file, name=str(path), columns=names, row_groups=groups):
            row = dict(zip(names, values, strict=True))
            if split is None or row["split"] == split:
                yield row


def read_texts(path: Path) -> Iterator[str]:
    """Yield the texts of lines, of all splits."""
    with path.open("rb") as file:
        for (text,) in read_parquet(file, name=str(path), columns=["text"]):
            yield text


def _may_hold(metadata: pq.FileMetaData, group: int, split: Split | None) -> bool:
    place = metadata.schema.names.index("split")
    found = metadata.row_group(group).column(place).statistics
    if split is None or found is None or not found.has_min_max:
        return True
    return bool(found.min <= split <= found.max)
