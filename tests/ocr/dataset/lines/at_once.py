"""A label file's lines and what is left out of it, read at once."""

from pathlib import Path
from typing import Any

from ocr.dataset.lines.labelled_lines import stream_labelled_lines
from ocr.dataset.quarantine import Rejection
from ocr.image.pixels import Image


def read_labelled_lines(
    labels: Path, **how: Any
) -> tuple[list[tuple[Image, str]], list[Rejection]]:
    found = list(stream_labelled_lines(labels, **how))
    rejections = [each for each in found if isinstance(each, Rejection)]
    return [each for each in found if not isinstance(each, Rejection)], rejections
