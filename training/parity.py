"""Parity: an exported form must read every golden image as the checkpoint does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.ctc import Recognition, decode
from ocr.errors import ParityFailed
from ocr.image import Image, encode_png

LARGEST_DIFFERENCE = 1e-3
"""Bound of the difference of any probability; about 1e-5 is measured."""


@dataclass(frozen=True)
class Reading:
    """What one form reads in each golden image.

    Attributes:
        outputs: Text and confidence.
        probabilities: (T, C) each.
    """

    outputs: tuple[Recognition, ...]
    probabilities: tuple[NDArray[np.float32], ...]

    @classmethod
    def of(
        cls, probabilities: Mapping[int, NDArray[np.float32]], characters: Sequence[str]
    ) -> "Reading":
        """Decode the probabilities of images 0, 1, ..."""
        ordered = tuple(probabilities[index] for index in range(len(probabilities)))
        return cls(tuple(decode(frames, characters) for frames in ordered), ordered)


class ParityProof:
    """Compares forms with the checkpoint, image by image.

    Attributes:
        expected: What the checkpoint reads.
        differences: The largest difference of any probability, by form.
    """

    def __init__(self, expected: Reading, images: Sequence[Image], folder: Path) -> None:
        """Start without any form.

        Args:
            expected: What the checkpoint reads.
            images: What all forms read.
            folder: Where the first image that a form reads differently is saved.
        """
        self.expected = expected
        self.differences: dict[str, float] = {}
        self._images = images
        self._folder = folder

    def check(self, form: str, found: Reading) -> None:
        """Add a form.

        Raises:
            ParityFailed: A text differs, or a probability by more than LARGEST_DIFFERENCE.
        """
        if len(found.outputs) != len(self._images):
            raise ParityFailed(
                f"{form} reads {len(found.outputs)} of {len(self._images)} golden images"
            )
        self.differences[form] = max(
            self._compare(form, index, found) for index in range(len(self._images))
        )

    def _compare(self, form: str, index: int, found: Reading) -> float:
        difference = _difference(found.probabilities[index], self.expected.probabilities[index])
        texts = (found.outputs[index].text, self.expected.outputs[index].text)
        if texts[0] == texts[1] and difference <= LARGEST_DIFFERENCE:  # not so for NaN
            return difference
        path = self._folder / f"{form}-{index:03d}.png"
        self._folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_png(self._images[index]))
        raise ParityFailed(
            f"{form} reads {texts[0]!r} in golden image {index}, the checkpoint {texts[1]!r}; "
            f"probabilities differ by {difference:.1e}, allowed is {LARGEST_DIFFERENCE:.0e}; "
            f"the image is {path}"
        )


def _difference(found: NDArray[np.float32], expected: NDArray[np.float32]) -> float:
    if found.shape != expected.shape:
        return float("inf")
    return float(np.abs(found - expected).max())
