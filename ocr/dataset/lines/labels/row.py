"""One row of a label file, before anything about it is checked."""

from typing import NamedTuple

from ocr.dataset.split import Split

SPACES = " \u3000"
"""Stripped off both ends of a text; any other white space there is a fault of the row."""


class LabelRow(NamedTuple):
    """An image and its text, as written.

    Attributes:
        image: Path relative to the dataset's root, forward slashes.
        text: Without surrounding white space.
        split: Given by the file the row stands in; None where the line splits.
        group: What must stay in one split; empty: nothing.
        source: Name of the label file or folder.
        where: Label file and line, as "rec_train.txt:12".
    """

    image: str
    text: str
    split: Split | None
    group: str
    source: str
    where: str
