"""From a snapshot of pages back to labels that other tools read.

- `folder`: images and label files, one format or the other
- `paddleocr`: PaddleOCR's labels, which PPOCRLabel opens too
- `labelstudio`: Label Studio's tasks
"""

from ocr.dataset.pages.converters.folder import LABEL_WRITERS, ExportKind, export_pages

__all__ = ["LABEL_WRITERS", "ExportKind", "export_pages"]
