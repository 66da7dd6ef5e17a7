"""What a preparation reads, seen from outside: labels, stamps of images, what is rendered."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ocr.dataset.candidate import Label
from ocr.dataset.labels.split_files import SplitFiles
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.errors import BadData, BadInput, OcrError
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
        rows: Number of rows, rendered ones included.
        fingerprint: SHA-256 over the labels and each image's path, size and times of change.
        files: What the rows depended on besides the images when they were first read.
    """

    labels: SplitFiles[LabelT] | None
    rendered: RenderedSet[ItemT] | None
    rows: int
    fingerprint: str
    files: Sequence[str] = ()

    def is_unchanged(self) -> bool:
        """Look again whether labels and images are still those that were seen.

        An image that was away, or another one, while it was read may be back as it was: what was
        made of it meanwhile is not what the same inputs give.
        """
        try:
            return survey_inputs(self.labels, self.rendered).fingerprint == self.fingerprint
        except OcrError:  # labels that are gone, or no labels any more
            return False

    def refuse_changes(self) -> None:
        """Refuse rows that were read again from what has changed meanwhile: labels, or a tar file.

        What comes of them would be found later for the files as they were.

        Raises:
            BadData: Naming where they are.
        """
        if self.labels is not None and self.labels.fingerprint() != self.files:
            raise BadData(
                f"the label files or images in {self.labels.root} changed while they were read; "
                "run it again"
            )


def survey_inputs(
    labels: SplitFiles[LabelT] | None, rendered: RenderedSet[ItemT] | None
) -> Survey[LabelT, ItemT]:
    """Read the labels and look at the images from outside; no row is kept.

    Raises:
        BadInput: When there is neither.
        BadData: When a label file has no rows, or cannot be read.
    """
    if labels is None and rendered is None:
        raise BadInput("nothing to prepare: neither labels nor a number to render")
    digest, rows = hashlib.sha256(), 0
    files: list[str] = []
    if labels is not None:
        files = labels.fingerprint()
        digest.update(repr(files).encode())
        rows += _survey_labels(labels, digest)
    if rendered is not None:
        rows += rendered.count
        digest.update(f"rendered {rendered.fingerprint}".encode())
    return Survey(labels, rendered, rows, digest.hexdigest(), files)


def _survey_labels(labels: SplitFiles[Any], digest: "hashlib._Hash") -> int:
    """Digest the stamps of the images that the rows name; returns the number of rows."""
    stamp, good, bad = labels.place().stamps(), Counter[Split | None](), 0
    for row in labels.read():
        if isinstance(row, Rejection):
            bad += 1
            continue
        good[row.split] += 1
        digest.update(f"{row.image!r} {stamp(row.image)}\n".encode())
    if not bad:  # else the table of reasons says more
        _refuse_empty(labels, good)
    return good.total() + bad


def _refuse_empty(labels: SplitFiles[LabelT], counts: Counter[Split | None]) -> None:
    for split in labels.filled():
        if not counts[split] and not (split is None and counts["train"]):
            place = (
                labels.name_of(split or "train") or "train_labels or more_labels: both name none"
            )
            raise BadData(f"the {split or 'train'} split is empty: no rows in {place}")
