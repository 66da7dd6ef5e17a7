"""Readers of the labels of lines, one format a file.

- `files`: the label files of a dataset, whatever their format
- `paddleocr`: `image<TAB>text`
- `table`: CSV, TSV and Parquet
- `mmocr`: MMOCR's JSON and JSON lines
- `folder`: file names that are the texts
- `lmdb_rows`: LMDB files that hold images and texts
"""

from ocr.dataset.lines.labels.files import LineLabelFiles
from ocr.dataset.lines.labels.table import Columns

__all__ = ["Columns", "LineLabelFiles"]
