"""From a snapshot of pages back to labels that other tools read."""

from ocr.dataset.pages.converters.folder import LABEL_WRITERS, ExportKind, export_pages

__all__ = ["LABEL_WRITERS", "ExportKind", "export_pages"]
