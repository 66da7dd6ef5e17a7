"""All images of one PaddleOCR label file with their texts, without a snapshot."""

from pathlib import Path

from ocr.dataset.limits import Limits
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection, refuse_unreadable
from ocr.image.folder import ImageFolder
from ocr.image.pixels import BadImage, Image, decode_image


def read_labelled_images(labels: Path) -> tuple[list[tuple[Image, str]], list[Rejection]]:
    """Read the images and texts of a label file, and the rows that cannot be read.

    Raises:
        ArtifactNotFound: There is no such file.
        BadData: No row can be read, or the file is in another encoding.
    """
    limits = Limits()
    images = ImageFolder(labels.parent)
    samples: list[tuple[Image, str]] = []
    rejections: list[Rejection] = []
    for row in LineLabelFiles(kind="paddleocr", root=labels.parent, train=labels.name).read():
        if isinstance(row, Rejection):
            rejections.append(row)
            continue
        try:
            data = images.read(row.image, max_bytes=limits.max_bytes)
            samples.append((decode_image(data, max_pixels=limits.max_pixels), row.label.text))
        except BadImage as error:
            rejections.append(row.reject(error.reason, str(error)))
    if not samples:
        refuse_unreadable(labels, rejections)
    return samples, rejections
