"""What a preparation reads: labelled images, rendered lines, or both."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ocr.candidate import Candidate
from ocr.errors import BadData, BadInput
from ocr.image_folder import ImageFolder
from ocr.inspection import Inspector, RenderedLine
from ocr.labels import LabelFiles, LabelRow
from ocr.quarantine import Rejection
from ocr.sample import Split


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


@dataclass(frozen=True)
class Inputs:
    """Labelled images and lines to render."""

    labels: LabelFiles | None
    rendered: RenderedSet | None

    def __post_init__(self) -> None:
        if self.labels is None and self.rendered is None:
            raise BadInput("nothing to prepare: neither labels nor lines to render")

    @property
    def given(self) -> tuple[Split, ...]:
        """Splits that have samples of their own."""
        return self.labels.given() if self.labels else ()

    def survey(self) -> Survey:
        """Read the labels and look at the images from outside.

        Raises:
            BadData: When a label file has no rows, or cannot be read.
        """
        digest = hashlib.sha256()
        rows = 0
        if self.labels is not None:
            digest.update(repr(self.labels.fingerprint()).encode())
            counts: Counter[Split | None] = Counter()
            images = ImageFolder(self.labels.root)
            for row in self.labels.read():
                rows += 1
                if isinstance(row, LabelRow):
                    counts[row.split] += 1
                    stamp = images.stamp(row.image)
                    digest.update(repr((row.image, stamp)).encode())
            if rows == counts.total():  # else the table of reasons says more
                self._refuse_empty(self.labels, counts)
        if self.rendered is not None:
            rows += self.rendered.count
            digest.update(f"rendered {self.rendered.fingerprint}".encode())
        return Survey(rows, digest.hexdigest())

    def inspect(self, inspector: Inspector) -> Iterator[Candidate | Rejection]:
        """Look into every image and render every line."""
        if self.labels is not None:
            yield from inspector.inspect_rows(self.labels.read(), root=self.labels.root)
        if self.rendered is not None:
            split: Split | None = None if self.labels is None else "train"
            yield from inspector.inspect_rendered(self.rendered.lines, split=split)

    def _refuse_empty(self, labels: LabelFiles, counts: Counter[Split | None]) -> None:
        for split in (None, *self.given):
            if not counts[split]:
                place = labels.name_of(split or "train")
                raise BadData(f"the {split or 'train'} split is empty: no rows in {place}")
