"""The table of a snapshot that somebody put into the store."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.dataset.snapshot.table import read_rows
from ocr.errors import BadData


def test_a_table_that_is_gigabytes_written_out_is_refused(tmp_path: Path) -> None:
    rows = pa.array([0] * 2000, pa.int32())
    text = pa.DictionaryArray.from_arrays(rows, ["x" * 1_000_000])
    pq.write_table(pa.table({"split": ["train"] * 2000, "text": text}), tmp_path / "s.parquet")

    with pytest.raises(BadData, match=r"s\.parquet holds more than 1073741824 bytes of texts"):
        list(read_rows(tmp_path / "s.parquet", split="train"))
