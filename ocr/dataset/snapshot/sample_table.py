"""Writes the table of a snapshot, a row group in memory at a time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import SampleLabel
from ocr.dataset.candidate_table import hex_ids
from ocr.dataset.snapshot.manifest import Task
from ocr.dataset.snapshot.shards import shard_name
from ocr.dataset.split import SPLITS

ROW_GROUP = 65_536
_AT_ONCE = 4096  # as Python objects
_LABEL_COLUMNS: dict[Task, str] = {"recognition": "text", "detection": "regions"}


def write_samples(
    path: Path,
    samples: Accepted[SampleLabel],
    *,
    task: Task,
    shards: NDArray[np.int32],
    offsets: NDArray[np.int32],
) -> None:
    """Write a row per sample.

    Args:
        path: The Parquet file.
        samples: In their final order.
        task: Names the column of their labels.
        shards: (N,) number of the shard of each.
        offsets: (N,) where its image starts there.
    """
    writer: pq.ParquetWriter | None = None
    try:
        for start in range(0, len(samples), ROW_GROUP):
            end = min(start + ROW_GROUP, len(samples))
            parts = [slice(at, min(at + _AT_ONCE, end)) for at in range(start, end, _AT_ONCE)]
            tables = (_tabulate(samples.part(p), shards[p], offsets[p], task=task) for p in parts)
            table = pa.concat_tables(tables).combine_chunks()
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table, row_group_size=ROW_GROUP)
    finally:
        if writer:
            writer.close()


def _tabulate(
    samples: Accepted[SampleLabel],
    shards: NDArray[np.int32],
    offsets: NDArray[np.int32],
    *,
    task: Task,
) -> pa.Table:
    records = samples.candidates.records(samples.positions)
    rows = list(samples.candidates.rows(samples.positions))
    return pa.table(
        {
            "id": text_column(list(hex_ids(records))),
            "split": text_column([SPLITS[split] for split in samples.splits.tolist()]),
            "width": _numbers(records["width"], np.int32),
            "height": _numbers(records["height"], np.int32),
            _LABEL_COLUMNS[task]: text_column([row.label.stored for row in rows]),
            "source": text_column([row.source for row in rows]),
            "group": text_column([row.group for row in rows]),
            "image": text_column([row.image for row in rows]),
            "shard": text_column([shard_name(shard) for shard in shards.tolist()]),
            "offset": _numbers(offsets, np.int64),
            "size": _numbers(records["size"], np.int64),
        }
    )


def _numbers(values: NDArray[Any], kind: type[np.integer]) -> pa.Array:
    plain = np.ascontiguousarray(values, kind)
    buffers = [None, pa.py_buffer(plain)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(kind), len(plain), buffers)


def text_column(values: Sequence[str]) -> pa.Array:
    """Return texts as Arrow has them; `pa.array` would import pandas to find that they are a list.

    File names that are no UTF-8 hold lone surrogates, which no file format takes.
    """
    encoded = [value.encode("utf-8", "backslashreplace") for value in values]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(each) for each in encoded], out=ends[1:])
    return pa.StringArray.from_buffers(
        len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))
    )
