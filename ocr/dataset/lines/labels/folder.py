"""A folder whose file names are the texts: `TEXT.jpg`, and `TEXT_2.jpg` for a further image.

A trailing underscore with up to four digits is a counter and no part of the text. Names are read
in NFC (some file systems hand back NFD). A text that a file name cannot hold ("/", a real trailing
"_7") needs a label file. Top-level folders named train, val and test give the split.
"""

import os
import re
import unicodedata
from collections.abc import Iterator

from ocr.dataset.candidate import Row
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.roots import Root
from ocr.dataset.split import SPLITS, Split
from ocr.image.header import IMAGE_SUFFIXES

_COUNTER = re.compile(r"_\d{1,4}$")


def list_folder(root: Root) -> Iterator[LineRow]:
    """List the images under a root in name order, texts from their names.

    Hidden files and files that are no images by suffix are left out; linked folders are not
    followed.
    """
    given = given_splits(root)
    for image in root.list_files("."):
        place, _, name = image.rpartition("/")
        stem, suffix = os.path.splitext(name)  # noqa: PTH122 - 200,000 times
        if suffix.lower() in IMAGE_SUFFIXES:
            text = unicodedata.normalize("NFC", _COUNTER.sub("", stem)).strip()
            split = _split_of(image, given)
            yield Row(image, LineLabel(text), split, "", place or ".", image)


def given_splits(root: Root) -> tuple[Split, ...]:
    """The splits besides train that the root has a folder for."""
    return tuple(split for split in SPLITS if split != "train" and root.has_folder(split))


def _split_of(image: str, given: tuple[Split, ...]) -> Split | None:
    return next((split for split in given if image.startswith(f"{split}/")), None)
