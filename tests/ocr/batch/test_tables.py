"""The tables of a batch: bounded in memory, joined in order, empty ones too."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ocr.batch import tables as module
from ocr.batch.tables import FILES, LINES, QUARANTINE, SCHEMAS, TableWriter, join_tables


def write(folder: Path, rows: list[tuple[str, int]]) -> Path:
    folder.mkdir()
    with (
        TableWriter(folder, QUARANTINE) as refused,
        TableWriter(folder, LINES),
        TableWriter(folder, FILES),
    ):
        for path, page in rows:
            refused.add(path, page, "unreadable", "it is damaged")
    return folder


def test_tables_of_shards_are_joined_in_their_order(tmp_path: Path) -> None:
    parts = [write(tmp_path / "a", [("b.png", 1), ("b.png", 2)]), write(tmp_path / "b", [("a", 0)])]

    join_tables(tmp_path, parts)

    rows = pq.read_table(tmp_path / QUARANTINE).to_pylist()
    assert [(row["path"], row["page"]) for row in rows] == [("b.png", 1), ("b.png", 2), ("a", 0)]


def test_tables_without_a_row_have_their_columns(tmp_path: Path) -> None:
    join_tables(tmp_path, [])

    for name, schema in SCHEMAS.items():
        table = pq.read_table(tmp_path / name)
        assert (table.num_rows, table.schema) == (0, schema)


def test_rows_are_written_before_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 10)

    part = write(tmp_path / "a", [(f"{number}.png", 0) for number in range(35)])
    join_tables(tmp_path, [part])

    for folder in (part, tmp_path):
        groups = pq.ParquetFile(folder / QUARANTINE).metadata
        assert groups.num_rows == 35
        assert max(groups.row_group(at).num_rows for at in range(groups.num_row_groups)) <= 20


def test_a_name_that_is_no_utf_8_is_kept_readable(tmp_path: Path) -> None:
    write(tmp_path / "a", [("scan-\udcff.png", 0)])

    (row,) = pq.read_table(tmp_path / "a" / QUARANTINE).to_pylist()
    assert row["path"] == "scan-\\udcff.png"
