"""What a preparation reads, seen from outside: labels, stamps of images, what is rendered."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.errors import BadData, BadInput
from ocr.image.folder import ImageFolder


class LabelledImage(Protocol):
    """A row of labels, of a line or of a page."""

    @property
    def image(self) -> str:
        """Path relative to the dataset's root, forward slashes."""

    @property
    def split(self) -> Split | None:
        """Given by the file the row stands in; None where the line splits."""


ItemT = TypeVar("ItemT")
RowT = TypeVar("RowT", bound=LabelledImage)
ReadT_co = TypeVar("ReadT_co", bound=LabelledImage, covariant=True)


class Labels(Protocol[ReadT_co]):
    """The label files of a dataset."""

    @property
    def root(self) -> Path:
        """Folder that image paths are relative to."""

    def read(self) -> Iterator[ReadT_co | Rejection]:
        """Read all rows."""

    def given(self) -> Sequence[Split]:
        """The splits that are not to be split off train."""

    def name_of(self, split: Split) -> str:
        """Name of the file or folder that a split's rows stand in."""

    def fingerprint(self) -> list[str]:
        """What the rows depend on besides the image files."""


@dataclass(frozen=True)
class RenderedSet(Generic[ItemT]):
    """Lines or pages to render; beside labelled images they join train only.

    Attributes:
        items: Rendered when iterated, which a cache hit does not.
        count: How many they are.
        fingerprint: What they depend on: templates, fonts, strength, seed.
    """

    items: Iterable[ItemT]
    count: int
    fingerprint: str


@dataclass(frozen=True)
class Survey(Generic[RowT, ItemT]):
    """Inputs, and what is known of them without opening an image.

    Attributes:
        labels: The labelled images; None: rendered ones only.
        rendered: What is to be rendered; None: nothing.
        labelled: All rows of the labels, bad ones included.
        rows: Number of rows, rendered ones included.
        fingerprint: SHA-256 over the labels and each image's path, size and time of change.
    """

    labels: Labels[RowT] | None
    rendered: RenderedSet[ItemT] | None
    labelled: Sequence[RowT | Rejection]
    rows: int
    fingerprint: str


def survey_inputs(
    labels: Labels[RowT] | None, rendered: RenderedSet[ItemT] | None
) -> Survey[RowT, ItemT]:
    """Read the labels and look at the images from outside.

    Raises:
        BadInput: When there is neither.
        BadData: When a label file has no rows, or cannot be read.
    """
    if labels is None and rendered is None:
        raise BadInput("nothing to prepare: neither labels nor a number to render")
    digest = hashlib.sha256()
    labelled: list[RowT | Rejection] = []
    if labels is not None:
        digest.update(repr(labels.fingerprint()).encode())
        labelled += labels.read()
        good = [row for row in labelled if not isinstance(row, Rejection)]
        images = ImageFolder(labels.root)
        for row in good:
            size, mtime_ns = images.stamp(row.image) or ("", "")
            digest.update(f"{row.image!r} {size} {mtime_ns}\n".encode())
        if len(good) == len(labelled):  # else the table of reasons says more
            _refuse_empty(labels, Counter(row.split for row in good))
    rows = len(labelled)
    if rendered is not None:
        rows += rendered.count
        digest.update(f"rendered {rendered.fingerprint}".encode())
    return Survey(labels, rendered, labelled, rows, digest.hexdigest())


def _refuse_empty(labels: Labels[LabelledImage], counts: Counter[Split | None]) -> None:
    for split in (None, *labels.given()):
        if not counts[split]:
            place = labels.name_of(split or "train")
            raise BadData(f"the {split or 'train'} split is empty: no rows in {place}")
