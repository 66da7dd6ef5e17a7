"""Pages to labels that other tools read.

- `folder`: a snapshot as images and label files, one format or the other
- `browser_image`: an image as Label Studio can show it
- `page`: what a writer needs to know of a page
- `paddleocr`: PaddleOCR's labels, which PPOCRLabel opens too
- `labelstudio`: Label Studio's tasks, annotated or predicted
"""

from ocr.dataset.pages.converters.folder import (
    GROUP_PATTERN,
    LABEL_WRITERS,
    ExportKind,
    export_pages,
    has_groups,
)

__all__ = ["GROUP_PATTERN", "LABEL_WRITERS", "ExportKind", "export_pages", "has_groups"]
