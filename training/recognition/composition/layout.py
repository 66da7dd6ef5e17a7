"""The crops of one text length, aligned and taken apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from training.recognition.composition.alignment import Centres, align_crops
from training.recognition.composition.cells import Cells, find_cells
from training.recognition.composition.legibility import read_by_likeness
from training.recognition.composition.matte import cut_matte

MIN_CROPS = 16
MAX_CHARACTERS = 24
MIN_READ = 24
"""Fewer mattes than this prove nothing."""
MIN_LEGIBLE = 0.8
"""Least share of cut characters that look like their own kind: real plates read 0.95, made-up
counters 0.99, words of one length 0.4."""
MIN_LEGIBLE_IN_CROP = 0.5


@dataclass(frozen=True)
class Layout(Cells):
    """The cells of a fixed layout, and N crops that have it.

    Attributes:
        indexes: (N,), their places in the list of all crops.
        warps: (N, 3, 3), pixels of the common frame to pixels of the crop.
        papers: (N, 3, 3), their planes of paper colour.
        inks: (N, 3, 3), their planes of ink colour, minus the paper's.
        alphas: (N, height of the cells, width of the frame), how much ink covers each pixel.
        is_legible: (N, P), whether a character looks like its own kind, or is too rare to tell.
    """

    indexes: NDArray[np.int64]
    warps: NDArray[np.float32]
    papers: NDArray[np.float32]
    inks: NDArray[np.float32]
    alphas: NDArray[np.float16]
    is_legible: NDArray[np.bool_]

    def crop_centres_px(self, row: int) -> NDArray[np.float64]:
        """Middles (P, 2) of one crop's characters, x and y in its pixels."""
        y = np.full_like(self.centres_px, (self.rows_px.sum() - 1) / 2)
        points = np.stack([self.centres_px, y, np.ones_like(y)])
        u, v, scale = self.warps[row].astype(np.float64) @ points
        return np.stack([u / scale, v / scale], axis=1)

    def alpha(self, row: int, position: int) -> NDArray[np.float32]:
        """How much ink covers each pixel of one character's cell."""
        return np.asarray(self.alphas[row][:, self.columns(position)], np.float32)


def build_layout(
    images: NDArray[np.uint8],
    texts: Sequence[str],
    centres_px: Centres,
    indexes: NDArray[np.int64],
) -> Layout:
    """Align crops of one text length and take those apart that lie well.

    Args:
        images: (N, H, W, 3).
        texts: What they read, P characters each.
        centres_px: (N, P), rough x of their characters.
        indexes: (N,), their places in the list of all crops.

    Raises:
        BadData: They are too few, or not of one fixed layout.
    """
    count, length = centres_px.shape
    if length < 2:
        raise BadData("single characters have no neighbours to swap with")
    if length > MAX_CHARACTERS:
        raise BadData(f"lines of more than {MAX_CHARACTERS} characters are not aligned")
    if count < MIN_CROPS:
        raise BadData(f"only {count} crops, at least {MIN_CROPS} are needed")
    alignment = align_crops(images, centres_px)
    cells, rows = find_cells(centres_px, alignment)
    mattes = [
        cut_matte(images[row], alignment.warps[row], alignment.polarities[row], cells)
        for row in rows
    ]
    papers, inks, alphas = (np.stack(parts) for parts in zip(*mattes, strict=True))
    right = _read(alphas, [texts[row] for row in rows], cells)
    shows = np.nansum(right, axis=1) >= MIN_LEGIBLE_IN_CROP * np.isfinite(right).sum(axis=1)
    return Layout(
        centres_px=cells.centres_px,
        widths_px=cells.widths_px,
        rows_px=cells.rows_px,
        indexes=indexes[rows[shows]],
        warps=alignment.warps[rows[shows]],
        papers=papers[shows],
        inks=inks[shows],
        alphas=alphas[shows],
        is_legible=right[shows] != 0,
    )


def _read(alphas: NDArray[np.float16], texts: Sequence[str], cells: Cells) -> NDArray[np.float64]:
    """1 where a character (N, P) looks like its own kind, 0 where it does not, NaN if too rare.

    Raises:
        BadData: Too many do not, so the layout is not fixed.
    """
    positions = range(len(cells.centres_px))
    right = read_by_likeness(
        [alpha[:, cells.columns(p)].astype(np.float32) for alpha in alphas for p in positions],
        [character for text in texts for character in text],
    )
    count = int(np.isfinite(right).sum())
    share = float(np.nansum(right)) / max(count, 1)
    if count >= MIN_READ and share < MIN_LEGIBLE:
        raise BadData(
            f"characters cut out at the same positions do not look alike (only {share:.0%} like"
            f" their own kind, at least {MIN_LEGIBLE:.0%} in a fixed layout)"
        )
    return right.reshape(len(texts), -1)
