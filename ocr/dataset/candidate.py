"""A labelled image on its way into a snapshot: first as a row, then with its image."""

from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from ocr.dataset.quarantine import Reason, Rejection
from ocr.dataset.split import Split
from ocr.dataset.spool import SpoolPlace

UNCHECKED: Final = " (unchecked)/"
"""How the source of a row ends whose label a model wrote and nobody looked at; no file or folder
is named with a slash at the end."""


def is_checked(source: str) -> bool:
    """Say whether a person labelled what comes from a source."""
    return not source.endswith(UNCHECKED)


class Label(Protocol):
    """What an image is labelled with: the text of a line, or the regions of a page."""

    @property
    def shown(self) -> str:
        """What the table of rejected rows shows of it."""


class SampleLabel(Label, Protocol):
    """A label that was checked."""

    @property
    def stored(self) -> str:
        """How a snapshot holds it; equal labels are held alike."""

    @property
    def held(self) -> str:
        """How a test split that is kept for good holds it."""


LabelT_co = TypeVar("LabelT_co", bound=Label, covariant=True)
SampleLabelT_co = TypeVar("SampleLabelT_co", bound=SampleLabel, covariant=True)


class Row(NamedTuple, Generic[LabelT_co]):
    """An image and its label.

    Attributes:
        image: Path relative to the dataset's root, forward slashes; empty for a rendered one.
        label: What it is labelled with, as written or as checked.
        split: Given by the file the row stands in; None where the preparation splits.
        group: What must stay in one split; empty: nothing.
        source: Name of the label file or folder, or what rendered the image.
        where: Label file and line or entry, as "rec_train.txt:12".
    """

    image: str
    label: LabelT_co
    split: Split | None
    group: str
    source: str
    where: str

    @property
    def is_checked(self) -> bool:
        """Whether a person labelled it."""
        return is_checked(self.source)

    def reject(self, reason: Reason, detail: str) -> Rejection:
        """Quarantine it."""
        found = Rejection(reason, self.where, self.image, self.label.shown, detail)
        return found if self.is_checked else found.of_unchecked()


class EncodedImage(NamedTuple):
    """One good image in the spool.

    Attributes:
        id: SHA-256 of the encoded image.
        width: In pixels.
        height: In pixels.
        hash: Perceptual hash.
        suffix: File suffix of its format.
        place: Where its bytes are.
    """

    id: str
    width: int
    height: int
    hash: bytes
    suffix: str
    place: SpoolPlace


class Candidate(NamedTuple, Generic[SampleLabelT_co]):
    """A row whose label and image are good, before duplicates are out and splits are set."""

    row: Row[SampleLabelT_co]
    encoded: EncodedImage
