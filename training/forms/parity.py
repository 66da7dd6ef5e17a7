"""Parity: an exported form must answer every golden image as the checkpoint does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.errors import ParityFailed
from ocr.image.pixels import Image, encode_png

LARGEST_DIFFERENCE = 1e-3
"""Bound of the difference of any probability; about 1e-5 is measured."""

Output = TypeVar("Output")
Probabilities = NDArray[np.float32]


@dataclass(frozen=True)
class Reading(Generic[Output]):
    """The answers of one form to the golden images.

    Attributes:
        outputs: The text or the boxes of each.
        probabilities: What each was made of: (T, C) of a recogniser, (H, W) of a detector.
    """

    outputs: tuple[Output, ...]
    probabilities: tuple[Probabilities, ...]


class ParityProof(Generic[Output]):
    """Compares forms with the checkpoint, image by image.

    Attributes:
        expected: What the checkpoint answers.
        differences: The largest difference of any probability, by form.
    """

    def __init__(
        self,
        expected: Reading[Output],
        images: Sequence[Image],
        folder: Path,
        *,
        compare: Callable[[Output, Output], str],
    ) -> None:
        """Start without any form.

        Args:
            expected: What the checkpoint answers.
            images: What all forms are given.
            folder: Where the first image that a form answers differently is saved.
            compare: Says how an output differs from the checkpoint's; empty when it does not.
        """
        self.expected = expected
        self.differences: dict[str, float] = {}
        self._images = images
        self._folder = folder
        self._compare_outputs = compare

    def check(self, form: str, found: Reading[Output]) -> None:
        """Add a form.

        Raises:
            ParityFailed: An output differs, or a probability by more than LARGEST_DIFFERENCE.
        """
        if len(found.outputs) != len(self._images):
            raise ParityFailed(
                f"{form} reads {len(found.outputs)} of {len(self._images)} golden images"
            )
        self.differences[form] = max(
            self._compare(form, index, found) for index in range(len(self._images))
        )

    def _compare(self, form: str, index: int, found: Reading[Output]) -> float:
        difference = _difference(found.probabilities[index], self.expected.probabilities[index])
        said = self._compare_outputs(found.outputs[index], self.expected.outputs[index])
        if not said and difference <= LARGEST_DIFFERENCE:  # not so for NaN
            return difference
        path = self._folder / f"{form}-{index:03d}.png"
        self._folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_png(self._images[index]))
        raise ParityFailed(
            f"{form} {said or 'agrees'} in golden image {index}; "
            f"probabilities differ by {difference:.1e}, allowed is {LARGEST_DIFFERENCE:.0e}; "
            f"the image is {path}"
        )


def _difference(found: Probabilities, expected: Probabilities) -> float:
    if found.shape != expected.shape:
        return float("inf")
    return float(np.abs(found - expected).max())
