"""The crops of one text length, aligned and taken apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.composition.alignment import align_crops
from ocr.composition.cells import Cells, find_cells
from ocr.composition.matte import Matte, cut_matte
from ocr.errors import BadData
from ocr.image import Image

MIN_CROPS = 16


@dataclass(frozen=True)
class CropGroup:
    """Crops of one fixed layout, N of P characters each.

    Attributes:
        indices: (N,), their places in the list of all crops.
        texts: What they read.
        warps: (N, 3, 3), pixels of the common frame to pixels of the crop.
        cells: The boxes of the characters in the frame.
        mattes: The crops, taken apart.
    """

    indices: NDArray[np.int64]
    texts: tuple[str, ...]
    warps: NDArray[np.float32]
    cells: Cells
    mattes: tuple[Matte, ...]

    def centres_px(self, row: int) -> NDArray[np.float64]:
        """Middles (P, 2) of one crop's characters, x and y in its pixels."""
        x = self.cells.centres_px
        points = np.stack([x, np.full_like(x, self.cells.middle_px), np.ones_like(x)])
        u, v, scale = self.warps[row].astype(np.float64) @ points
        return np.stack([u / scale, v / scale], axis=1)

    def alpha(self, row: int, position: int) -> NDArray[np.uint8]:
        """How much ink covers each pixel of one character's cell, as bytes of LEVELS."""
        left, width = self.cells.lefts_px[position], self.cells.widths_px[position]
        return self.mattes[row].alpha[:, left : left + width]


@dataclass(frozen=True)
class GroupReport:
    """What became of the crops of one text length.

    Attributes:
        characters: The length.
        crops: How many crops have it.
        aligned: How many of them are composed from and with.
        refusal: Why none is, or "".
    """

    characters: int
    crops: int
    aligned: int
    refusal: str


def build_group(
    images: Sequence[Image],
    texts: Sequence[str],
    centres_px: Sequence[NDArray[np.floating]],
    indices: NDArray[np.int64],
) -> CropGroup:
    """Align crops of one text length and take those apart that lie well.

    Raises:
        BadData: They are too few, or not of one fixed layout.
    """
    if len(texts[0]) < 2:
        raise BadData("single characters have no neighbours to swap with")
    if len(images) < MIN_CROPS:
        raise BadData(f"only {len(images)} crops, at least {MIN_CROPS} are needed")
    alignment = align_crops(images, centres_px)
    cells, fits = find_cells(images, centres_px, alignment)
    rows = np.flatnonzero(fits)
    polarity = alignment.polarities * np.sign(_skewness(alignment.mean, cells))
    mattes = tuple(
        cut_matte(images[row], alignment.warps[row], polarity[row], cells, alignment.width_px)
        for row in rows
    )
    return CropGroup(
        indices=indices[rows],
        texts=tuple(texts[row] for row in rows),
        warps=alignment.warps[rows],
        cells=cells,
        mattes=mattes,
    )


def _skewness(mean: NDArray[np.float32], cells: Cells) -> float:
    """Above 0 where the ink, which covers less than the paper, is the brighter."""
    band = mean[cells.top_px : cells.bottom_px, cells.lefts_px[0] : cells.lefts_px[-1]]
    return float(((band - band.mean()) ** 3).mean())
