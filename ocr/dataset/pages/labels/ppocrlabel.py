"""PPOCRLabel projects: `Label.txt` beside the images, and `fileState.txt` with the confirmed ones.

Rows are PaddleOCR's, but an image is named with its project's folder (`receipts/1.jpg`), by
whatever name the folder had then.
https://github.com/PFCCLab/PPOCRLabel
"""

import io
from collections.abc import Iterator
from pathlib import PurePosixPath

from ocr.dataset.pages.labels.paddleocr import parse_paddleocr_pages
from ocr.dataset.pages.labels.raw import RawPage
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split

FILE_STATE = "fileState.txt"
LABELS = "Label.txt"
"""As PPOCRLabel writes all pages of a project that have boxes."""


def parse_ppocrlabel(
    content: str, *, states: str, folder: str, name: str, split: Split | None
) -> Iterator[RawPage | Rejection]:
    """Parse a project's label file.

    Args:
        content: The whole `Label.txt`.
        states: The whole `fileState.txt`; empty where there is none, then every page counts.
        folder: The project's folder relative to the dataset's root.
        name: Name of the label file, for messages.
        split: Split its pages belong to; None where the preparation splits.
    """
    stated = (_file_name(line.partition("\t")[0].strip()) for line in states.split("\n"))
    confirmed = {image: number for number, image in enumerate(stated, start=1) if image}
    # Other files hold a part of a project: what they lack may stand in its other part.
    unwritten = dict(confirmed) if PurePosixPath(name).name == LABELS else {}
    lines = io.StringIO(content, newline="\n")
    for page in parse_paddleocr_pages(lines, name=name, split=split):
        image = _file_name(page.image)
        unwritten.pop(image, None)
        if isinstance(page, Rejection):
            yield page
        elif confirmed and image not in confirmed:
            detail = f"not among the {len(confirmed)} confirmed ones of {FILE_STATE}"
            yield Rejection("unconfirmed_page", page.where, page.image, "", detail)
        else:
            yield _in_project(page, folder)
    for image, number in unwritten.items():  # without boxes, or not exported: who can tell
        place = PurePosixPath(folder)
        detail = f"confirmed, but {LABELS} has no box of it: export the labels"
        where = f"{place / FILE_STATE}:{number}"
        yield Rejection("unconfirmed_page", where, str(place / image), "", detail)


def _in_project(page: RawPage, folder: str) -> RawPage:
    image = str(PurePosixPath(folder, _file_name(page.image)))
    return page._replace(image=image)


def _file_name(path: str) -> str:
    """PPOCRLabel lists one folder; a path of Windows may have backslashes."""
    return path.replace("\\", "/").rpartition("/")[2]
