"""What a preparation reads, seen from outside: labels, stamps of images, what is rendered."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ocr.errors import BadData, BadInput
from ocr.image_folder import ImageFolder
from ocr.inspection import RenderedLine
from ocr.quarantine import Rejection
from ocr.sample import Split


class LabelledImage(Protocol):
    """A row of labels, of a line or of a page."""

    @property
    def image(self) -> str:
        """Path relative to the dataset's root, forward slashes."""

    @property
    def split(self) -> Split | None:
        """Given by the file the row stands in; None where the line splits."""


class Labels(Protocol):
    """The label files of a dataset."""

    @property
    def root(self) -> Path:
        """Folder that image paths are relative to."""

    def read(self) -> Iterator[LabelledImage | Rejection]:
        """Read all rows."""

    def given(self) -> Sequence[Split]:
        """The splits that are not to be split off train."""

    def name_of(self, split: Split) -> str:
        """Name of the file or folder that a split's rows stand in."""

    def fingerprint(self) -> list[str]:
        """What the rows depend on besides the image files."""


class Rendered(Protocol):
    """Lines or pages to render."""

    @property
    def count(self) -> int:
        """How many they are."""

    @property
    def fingerprint(self) -> str:
        """What they depend on: templates, fonts, strength, seed."""


@dataclass(frozen=True)
class RenderedSet:
    """Lines to render; beside labelled images they join train only.

    Attributes:
        lines: Rendered when iterated, which a cache hit does not.
        count: How many they are.
        fingerprint: What they depend on: templates, fonts, strength, seed.
    """

    lines: Iterable[RenderedLine]
    count: int
    fingerprint: str


@dataclass(frozen=True)
class Survey:
    """What is known without opening an image.

    Attributes:
        rows: Number of rows, bad ones included.
        fingerprint: SHA-256 over the labels and each image's path, size and time of change.
    """

    rows: int
    fingerprint: str


def survey_inputs(labels: Labels | None, rendered: Rendered | None) -> Survey:
    """Read the labels and look at the images from outside.

    Raises:
        BadInput: When there is neither.
        BadData: When a label file has no rows, or cannot be read.
    """
    if labels is None and rendered is None:
        raise BadInput("nothing to prepare: neither labels nor a number to render")
    digest = hashlib.sha256()
    rows = 0
    if labels is not None:
        digest.update(repr(labels.fingerprint()).encode())
        counts: Counter[Split | None] = Counter()
        images = ImageFolder(labels.root)
        for row in labels.read():
            rows += 1
            if not isinstance(row, Rejection):
                counts[row.split] += 1
                stamp = images.stamp(row.image)
                digest.update(repr((row.image, stamp)).encode())
        if rows == counts.total():  # else the table of reasons says more
            _refuse_empty(labels, counts)
    if rendered is not None:
        rows += rendered.count
        digest.update(f"rendered {rendered.fingerprint}".encode())
    return Survey(rows, digest.hexdigest())


def _refuse_empty(labels: Labels, counts: Counter[Split | None]) -> None:
    for split in (None, *labels.given()):
        if not counts[split]:
            place = labels.name_of(split or "train")
            raise BadData(f"the {split or 'train'} split is empty: no rows in {place}")
