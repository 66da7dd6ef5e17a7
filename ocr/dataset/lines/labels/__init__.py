"""Readers of labels: PaddleOCR files, tables, and folders whose file names are the texts."""

from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.lines.labels.files import LineLabelFiles, LineLabelKind
from ocr.dataset.lines.labels.table import Columns

__all__ = ["Columns", "Encoding", "LineLabelFiles", "LineLabelKind"]
