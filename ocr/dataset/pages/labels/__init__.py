"""Readers of page labels, one format a file."""

from ocr.dataset.pages.labels.files import PageLabelFiles, PageLabelKind
from ocr.dataset.pages.labels.raw import RawPage, RawPageLabel, RawRegion

__all__ = ["PageLabelFiles", "PageLabelKind", "RawPage", "RawPageLabel", "RawRegion"]
