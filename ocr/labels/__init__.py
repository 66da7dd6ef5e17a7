"""Readers of labels: PaddleOCR files, tables, and folders whose file names are the texts."""

from ocr.labels.encoding import Encoding
from ocr.labels.files import LabelFiles, LabelKind
from ocr.labels.row import LabelRow
from ocr.labels.table import Columns

__all__ = ["Columns", "Encoding", "LabelFiles", "LabelKind", "LabelRow"]
