"""All images of one PaddleOCR label file with their texts, without a snapshot."""

from pathlib import Path

from ocr.dataset.examination import open_rows
from ocr.dataset.labels.encoding import ILLEGIBLE, Encoding
from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.dataset.roots import FolderRoot
from ocr.image.pixels import Image


def read_labelled_lines(
    labels: Path,
    *,
    max_pixels: int,
    texts: TextRule = USUAL,
    root: Path | None = None,
    encoding: Encoding = "utf-8",
) -> tuple[list[tuple[Image, str]], list[Rejection]]:
    """Read the images and texts of a label file, and the rows that cannot be read.

    Args:
        labels: The label file.
        max_pixels: Largest image, width times height.
        texts: How texts are written.
        root: What images are named relative to; None: the label file's folder.
        encoding: Of the label file.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, or the file is in another encoding.
    """
    folder = FolderRoot(root or labels.parent)
    name = str(labels.absolute())
    rows = LineLabelFiles("paddleocr", folder.path, name, encoding=encoding).read()
    lines: list[tuple[Image, str]] = []
    rejections: list[Rejection] = []
    for each in open_rows(rows, root=folder, max_pixels=max_pixels):
        if isinstance(each, Rejection):
            rejections.append(each)
        else:
            row, _, image = each
            text = row.label.written(texts).text
            if text in ILLEGIBLE:
                detail = f"{text!r} marks a text that nobody could read"
                rejections.append(row.reject("illegible", detail))
            else:
                lines.append((image, text))
    if not lines:
        refuse_unreadable(labels, rejections, root=folder.path)
    return lines, rejections
