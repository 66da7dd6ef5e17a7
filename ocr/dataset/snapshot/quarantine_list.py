"""All rejected rows as files: Parquet for programs, CSV for people with a spreadsheet."""

import csv
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.quarantine import Rejection
from ocr.dataset.snapshot.sample_table import text_column
from ocr.store import Store
from ocr.store.whole import sha256_of

QUARANTINE = "quarantine.parquet"
QUARANTINE_CSV = "quarantine.csv"
_FIELDS = ("reason", "where", "image", "text", "detail")
# Spreadsheets calculate cells that begin so, and those of the Far East the full-width forms too
# (OWASP, "CSV Injection").
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def write_quarantine(path: Path, rejections: Sequence[Rejection]) -> None:
    """Write the table of all rejected rows, as Parquet."""
    columns = {f: text_column([getattr(each, f) for each in rejections]) for f in _FIELDS}
    pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=65_536)


def keep_refused(store: Store, table: Path, *, name: str) -> tuple[str, str]:
    """Store the list of a set that was refused, beside the snapshots of its name.

    The CSV file is UTF-8 with a byte order mark, without which a spreadsheet takes it for
    something else. A cell that begins like a formula has an apostrophe before it.

    Args:
        store: Where it goes; storing the same list again does nothing.
        table: What `write_quarantine` wrote.
        name: Name of the dataset.

    Returns:
        The addresses of the Parquet and of the CSV file.
    """
    sheet = table.with_name(QUARANTINE_CSV)
    _write_csv(table, sheet)
    digest = hashlib.sha256(f"{sha256_of(table)} {sha256_of(sheet)}".encode()).hexdigest()
    addresses = []
    for path, file in ((table, QUARANTINE), (sheet, QUARANTINE_CSV)):
        key = f"datasets/{name}/refused/{digest}/{file}"
        store.put_file(key, path)
        addresses.append(f"{store.uri}/{key}")
    return addresses[0], addresses[1]


def _write_csv(table: Path, sheet: Path) -> None:
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_FIELDS)
        for batch in pq.ParquetFile(table).iter_batches():
            for row in batch.to_pylist():
                writer.writerow(map(as_cell, row.values()))


def as_cell(cell: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
