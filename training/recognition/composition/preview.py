"""A picture of what composition does: pairs of a labelled and a composed crop."""

import cv2
import numpy as np

from ocr.image.pixels import Image
from training.recognition.composition.composer import ComposedCrop, CropComposer

TILE_HEIGHT_PX = 48
RED = (0, 0, 255)


def preview(
    composer: CropComposer,
    rng: np.random.Generator,
    *,
    rows: int = 12,
    pairs: int = 4,
    swap_share: float = 0.6,
) -> Image:
    """A grid of pairs, the labelled crop left, a composed one with its centres marked right.

    Args:
        composer: Where to draw from.
        rng: Source of randomness.
        rows: Rows of the grid.
        pairs: Pairs in a row.
        swap_share: Chance of each character to be swapped.
    """
    known = np.array(composer.aligned)
    chosen = rng.choice(known, rows * pairs, replace=len(known) < rows * pairs)
    tiles = []
    for index in chosen:
        crop = composer.compose(rng, int(index), swap_share=swap_share, untouched_share=0)
        tiles += [_tile(composer.images[index]), _mark(crop)]
    width = max(tile.shape[1] for tile in tiles)
    framed = [_frame(tile, width) for tile in tiles]
    lines = [np.hstack(framed[i : i + 2 * pairs]) for i in range(0, len(framed), 2 * pairs)]
    return np.vstack(lines)


def _frame(tile: Image, width: int) -> Image:
    right = width - tile.shape[1] + 1
    return np.asarray(cv2.copyMakeBorder(tile, 1, 1, 1, right, cv2.BORDER_CONSTANT))


def _mark(crop: ComposedCrop) -> Image:
    tile = _tile(crop.image)
    scale = np.array(tile.shape[1::-1]) / crop.image.shape[1::-1]
    for x, y in (crop.centres_px + 0.5) * scale - 0.5:
        cv2.circle(tile, (round(x), round(y)), 1, RED, -1)
    return tile


def _tile(image: Image) -> Image:
    height, width = image.shape[:2]
    size = (max(1, round(width * TILE_HEIGHT_PX / height)), TILE_HEIGHT_PX)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR))
