"""What a preparation reads, seen from outside: labels, stamps of images, what is rendered."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ocr.dataset.candidate import Label, Row
from ocr.dataset.labels.split_files import SplitFiles
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.errors import BadData, BadInput
from ocr.image.folder import ImageFolder
from ocr.image.pixels import Image

LabelT = TypeVar("LabelT", bound=Label)


class RenderedImage(Protocol):
    """An image that this project rendered, as `ocr.synthesis` does."""

    @property
    def image(self) -> Image:
        """Pixels (H, W, 3), BGR."""

    @property
    def source(self) -> str:
        """What rendered it."""


ItemT = TypeVar("ItemT", bound=RenderedImage)


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
class Survey(Generic[LabelT, ItemT]):
    """Inputs, and what is known of them without opening an image.

    Attributes:
        labels: The labelled images; None: rendered ones only.
        rendered: What is to be rendered; None: nothing.
        labelled: All rows of the labels, bad ones included.
        rows: Number of rows, rendered ones included.
        fingerprint: SHA-256 over the labels and each image's path, size and time of change.
    """

    labels: SplitFiles[LabelT] | None
    rendered: RenderedSet[ItemT] | None
    labelled: Sequence[Row[LabelT] | Rejection]
    rows: int
    fingerprint: str


def survey_inputs(
    labels: SplitFiles[LabelT] | None, rendered: RenderedSet[ItemT] | None
) -> Survey[LabelT, ItemT]:
    """Read the labels and look at the images from outside.

    Raises:
        BadInput: When there is neither.
        BadData: When a label file has no rows, or cannot be read.
    """
    if labels is None and rendered is None:
        raise BadInput("nothing to prepare: neither labels nor a number to render")
    digest = hashlib.sha256()
    labelled: list[Row[LabelT] | Rejection] = []
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


def _refuse_empty(labels: SplitFiles[LabelT], counts: Counter[Split | None]) -> None:
    for split in (None, *labels.given()):
        if not counts[split]:
            place = labels.name_of(split or "train")
            raise BadData(f"the {split or 'train'} split is empty: no rows in {place}")
