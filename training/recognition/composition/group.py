"""The crops of one text length, aligned and taken apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from training.recognition.composition.alignment import align_crops
from training.recognition.composition.cells import Cells, find_cells, find_fitting
from training.recognition.composition.legibility import read_by_likeness
from training.recognition.composition.matte import Matte, cut_matte
from training.recognition.composition.templates import draw_templates

MIN_CROPS = 16
MAX_CHARACTERS = 24
MIN_READ = 24
"""Fewer mattes than this prove nothing."""
MIN_LEGIBLE = 0.8
"""Least share of cut characters that look like their own kind: 100 real plates read 0.93,
made-up counters 1.0, words and receipt lines of one length 0.4 to 0.7."""
MIN_LEGIBLE_IN_CROP = 0.5


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

    def subset(self, rows: NDArray[np.int64]) -> Self:
        """Some of the crops."""
        return replace(
            self,
            indices=self.indices[rows],
            texts=tuple(self.texts[row] for row in rows),
            warps=self.warps[rows],
            mattes=tuple(self.mattes[row] for row in rows),
        )


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
    if len(texts[0]) > MAX_CHARACTERS:
        raise BadData(f"lines of more than {MAX_CHARACTERS} characters are not aligned")
    if len(images) < MIN_CROPS:
        raise BadData(f"only {len(images)} crops, at least {MIN_CROPS} are needed")
    alignment = align_crops(images, centres_px)
    cells = find_cells(images, centres_px, alignment)
    fits = find_fitting(centres_px, alignment)
    templates = draw_templates(images, texts, alignment, cells, fits)
    alignment = alignment.refine(images, templates)
    rows = np.flatnonzero(find_fitting(centres_px, alignment))
    polarity = alignment.polarities * np.sign(_skewness(alignment.mean, cells))
    group = CropGroup(
        indices=indices[rows],
        texts=tuple(texts[row] for row in rows),
        warps=alignment.warps[rows],
        cells=cells,
        mattes=tuple(
            cut_matte(images[row], alignment.warps[row], polarity[row], cells, alignment.width_px)
            for row in rows
        ),
    )
    return _keep_legible(group)


def _keep_legible(group: CropGroup) -> CropGroup:
    """Without the crops whose characters do not look like their kind.

    Raises:
        BadData: Those are too many, so the layout is not fixed.
    """
    length = len(group.texts[0])
    right = read_by_likeness(
        [group.alpha(row, k) for row in range(len(group.texts)) for k in range(length)],
        [character for text in group.texts for character in text],
    ).reshape(-1, length)
    count, total = np.isfinite(right).sum(axis=1), np.nansum(right, axis=1)
    share = float(total.sum() / max(int(count.sum()), 1))
    if count.sum() >= MIN_READ and share < MIN_LEGIBLE:
        raise BadData(
            f"characters cut out at the same positions do not look alike (only {share:.0%} like"
            f" their own kind, at least {MIN_LEGIBLE:.0%} in a fixed layout)"
        )
    return group.subset(np.flatnonzero(total >= MIN_LEGIBLE_IN_CROP * count))


def _skewness(mean: NDArray[np.float32], cells: Cells) -> float:
    """Above 0 where the ink, which covers less than the paper, is the brighter."""
    band = mean[cells.top_px : cells.bottom_px, cells.lefts_px[0] : cells.lefts_px[-1]]
    return float(((band - band.mean()) ** 3).mean())
