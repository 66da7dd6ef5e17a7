"""A recogniser that reads what `tests.toy_bundle.draw` draws, gaps as spaces, with its places."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from tests.toy_bundle import CELL_PX, COLOURS

_LETTERS = {int(np.argmax(colour)): letter for letter, colour in COLOURS.items() if letter != " "}


class Cells:
    """Reads a cell of 16 px as a character; a gap of any width as one space."""

    name = "cells"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        return [_read(image) for image in images]


def _read(image: Image) -> Recognition:
    row = image[image.shape[0] // 2].astype(int)
    kinds = np.where(row.max(axis=1) > 100, row.argmax(axis=1), -1).tolist()
    text, places = "", []
    at = 0
    for kind, run in groupby(kinds):
        width = len(list(run))
        count = 1 if kind < 0 else max(1, round(width / CELL_PX))
        text += (" " if kind < 0 else _LETTERS[kind]) * count
        places += [(at + width * (k + 0.5) / count) / len(kinds) for k in range(count)]
        at += width
    kept = slice(len(text) - len(text.lstrip()), len(text.rstrip()))
    return Recognition(text.strip(), 0.9, (0.9,) * len(text.strip()), tuple(places[kept]))
