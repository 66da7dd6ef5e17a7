"""Where a crop to train on comes from, and where its characters are expected."""

import unicodedata
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.samples import Crops

NARROW = {**dict.fromkeys("I.,:;'!|ilj", 0.55), **dict.fromkeys('()[]-/ 1J"ftr', 0.7)}
WIDE = {**dict.fromkeys("MWmw@%", 1.3), **dict.fromkeys("GOQCDHNUAKVXY&", 1.1)}
FULL_WIDTH = 1.7


@dataclass(frozen=True)
class LabelledCrop:
    """A crop to train on.

    Attributes:
        image: (H, W, 3) BGR.
        labels: (n,) classes of its text, from 1.
        centres_px: (n, 2) where its characters are thought to be, x and y.
        around_px: Pixels by which the image goes on round its line, on every side.
    """

    image: Image
    labels: NDArray[np.int32]
    centres_px: NDArray[np.float64]
    around_px: int = 0


class CropSource(Protocol):
    """Draws a crop by index; all randomness comes from the generator."""

    def draw(self, index: int, rng: np.random.Generator) -> LabelledCrop:
        """Return the crop of an index, or something made from it."""
        ...


@dataclass(frozen=True)
class PlainSource:
    """The labelled crops as they are.

    Attributes:
        crops: The crops.
        proportional: Expect characters at rough typographic widths, else evenly spaced.
    """

    crops: Crops
    proportional: bool

    def draw(self, index: int, rng: np.random.Generator) -> LabelledCrop:  # noqa: ARG002
        """Return the crop of an index."""
        image, around_px = self.crops.images[index], self.crops.around_px[index]
        shares = expected_centres(self.crops.texts[index], proportional=self.proportional)
        height, width = image.shape[:2]
        along = around_px + shares * (width - 2 * around_px)
        centres_px = np.column_stack([along, np.full(len(shares), height / 2)])
        return LabelledCrop(image, self.crops.labels[index], centres_px, around_px)


def expected_centres(text: str, *, proportional: bool) -> NDArray[np.float64]:
    """Return where the characters of a line are expected, as (n,) shares of its width.

    Proportional widths are averaged with even ones, as most fonts are somewhere between.
    """
    widths = np.array([(1 + _relative_width(c)) / 2 if proportional else 1.0 for c in text])
    ends = np.cumsum(widths)
    return np.asarray((ends - widths / 2) / ends[-1])


def _relative_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return FULL_WIDTH
    return NARROW.get(character) or WIDE.get(character, 1.0)
