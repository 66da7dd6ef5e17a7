"""What a writer of labels needs to know of a page."""

from collections.abc import Mapping
from typing import Protocol

from ocr.dataset.pages.region import Region


class LabelledPage(Protocol):
    """A page and its texts, whoever wrote them down."""

    @property
    def width(self) -> int:
        """In pixels."""

    @property
    def height(self) -> int:
        """In pixels."""

    @property
    def regions(self) -> tuple[Region, ...]:
        """Its texts, ignored ones included."""


class KnownPage(LabelledPage, Protocol):
    """A page of which it is known where it comes from."""

    @property
    def facts(self) -> Mapping[str, object]:
        """What a person is shown of the page besides its image, by name."""


class ReadPage(KnownPage, Protocol):
    """A page that a model read."""

    @property
    def confidences(self) -> tuple[float, ...]:
        """How sure it is of the text of each region, 0 to 1."""
