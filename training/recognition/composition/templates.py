"""What each crop should look like in the frame, given its text: the target of the last alignment.

A character that nearly all crops show at one place would otherwise pull the few others away.
"""

from collections import defaultdict
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.alignment import Alignment
from training.recognition.composition.cells import Cells

Floats = NDArray[np.float32]

MIN_SEEN = 3


def draw_templates(
    images: Sequence[Image],
    texts: Sequence[str],
    alignment: Alignment,
    cells: Cells,
    fits: NDArray[np.bool_],
) -> list[Floats]:
    """Draw each crop's text in the mean shapes of its characters over the mean crop.

    Args:
        images: Crops whose texts have the same length.
        texts: What they read.
        alignment: Their common frame.
        cells: The boxes of their characters in it.
        fits: (N,), whose characters to average.

    Returns:
        One (height_px, width_px) for each crop; a character seen less than MIN_SEEN times is left
        as in the mean.
    """
    shapes = _mean_shapes(images, texts, alignment, cells, fits)
    return [_draw(text, shapes, alignment.mean, cells) for text in texts]


def _mean_shapes(
    images: Sequence[Image],
    texts: Sequence[str],
    alignment: Alignment,
    cells: Cells,
    fits: NDArray[np.bool_],
) -> dict[str, Floats]:
    seen: dict[str, list[Floats]] = defaultdict(list)
    size = (int(np.median(cells.widths_px)), cells.height_px)
    for index in np.flatnonzero(fits):
        rectified = alignment.polarities[index] * alignment.rectify(images[index], index)
        for position, character in enumerate(texts[index]):
            seen[character].append(cv2.resize(rectified[cells.box(position)], size))
    return {
        character: np.mean(patches, axis=0)
        for character, patches in seen.items()
        if len(patches) >= MIN_SEEN
    }


def _draw(text: str, shapes: dict[str, Floats], mean: Floats, cells: Cells) -> Floats:
    template = mean.copy()
    for position, character in enumerate(text):
        if character in shapes:
            box = template[cells.box(position)]
            box[:] = cv2.resize(shapes[character], box.shape[::-1])
    return template
