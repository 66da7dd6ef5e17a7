"""All images of one PaddleOCR label file with their texts, without a snapshot."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ocr.dataset.candidate import Row
from ocr.dataset.examination import open_rows
from ocr.dataset.labels.encoding import ILLEGIBLE, Encoding
from ocr.dataset.labels.hidden import find_hidden
from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.labels.paddleocr import OF_PAGES, WITH_TABS
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.dataset.roots import FolderRoot
from ocr.errors import BadData
from ocr.image.pixels import Image


def stream_labelled_lines(
    labels: Path,
    *,
    max_pixels: int,
    texts: TextRule = USUAL,
    root: Path | None = None,
    encoding: Encoding = "utf-8",
) -> Iterator[tuple[Image, str] | Rejection]:
    """Read the images and texts of a label file one by one, and the rows that cannot be read.

    Args:
        labels: The label file.
        max_pixels: Largest image, width times height.
        texts: How texts are written.
        root: What images are named relative to; None: the label file's folder.
        encoding: Of the label file.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, its rows are pages, or the file is in another encoding.
    """
    folder = FolderRoot(root or labels.parent)
    name = str(labels.absolute())
    rows = LineLabelFiles("paddleocr", folder.path, name, encoding=encoding).read()
    is_read, first = False, list[Rejection]()
    for each in open_rows(rows, root=folder, max_pixels=max_pixels):
        found = _reword(each) if isinstance(each, Rejection) else _judge(*each, texts=texts)
        if not isinstance(found, Rejection):
            is_read = True
        elif not first:
            first.append(found)
        yield found
    if not is_read:
        _refuse_pages(labels, first)
        refuse_unreadable(labels, first, root=folder.path)


def _judge(
    row: Row[LineLabel], _: bytes, image: Image, *, texts: TextRule
) -> tuple[Image, str] | Rejection:
    text = row.label.written(texts).text
    if not text:
        return row.reject("empty_text", "no text")
    if text in ILLEGIBLE:
        return row.reject("illegible", f"{text!r} marks a text that nobody could read")
    if hidden := find_hidden(text):
        return row.reject(*hidden)
    return image, text


def _reword(row: Rejection) -> Rejection:
    """Say of a row of another form what is read here, where no dataset has settings."""
    if not row.detail.startswith(WITH_TABS):
        return row
    return replace(row, detail=f"{WITH_TABS}, as label files of PaddleOCR have it")


def _refuse_pages(labels: Path, first: Sequence[Rejection]) -> None:
    """Refuse a label file whose first row is an image and its regions.

    Raises:
        BadData: It is one.
    """
    if any(each.detail == OF_PAGES for each in first):
        raise BadData(
            f"{labels} holds pages, an image and its regions a row, and the model reads lines; "
            "give labels of lines, or name a model of pages"
        )
