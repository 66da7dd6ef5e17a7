"""Compose new crops from labelled ones by swapping characters at aligned positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from training.recognition.composition.archive import read_composition, write_composition
from training.recognition.composition.composition import Composition, build_composition, sizes_of
from training.recognition.composition.group import CropGroup, GroupReport
from training.recognition.composition.library import FEW, MatteLibrary
from training.recognition.composition.painting import paint_character, vary_shape
from training.recognition.composition.vocabulary import Vocabulary

VARIED_SHARE = 0.25
VARIED_SHARE_OF_FEW = 0.8
"""Mattes of rare characters would otherwise be learnt by heart."""


@dataclass(frozen=True)
class ComposedCrop:
    """A crop, perhaps with other characters than it was labelled with.

    Attributes:
        image: (H, W, 3), BGR; not to be written to, it may be the labelled crop itself.
        text: What it reads.
        centres_px: (P, 2), middles of its characters, x and y in its pixels.
        is_aligned: Whether the centres are those of a fixed layout, not the rough ones given.
    """

    image: Image
    text: str
    centres_px: NDArray[np.float64]
    is_aligned: bool


class CropComposer:
    """Draws composed crops; built once, then about half a millisecond each."""

    def __init__(self, images: Sequence[Image], composition: Composition) -> None:
        self.images = images
        self.composition = composition
        groups = composition.groups
        self._library = MatteLibrary(groups)
        self._vocabularies = [self._learn(group) for group in groups]
        self._places = {
            int(index): (number, row)
            for number, group in enumerate(groups)
            for row, index in enumerate(group.indices)
        }

    @classmethod
    def build(
        cls,
        images: Sequence[Image],
        texts: Sequence[str],
        centres_px: Sequence[NDArray[np.floating]],
        *,
        seed: int,
    ) -> Self:
        """Align the crops of each text length and take them apart, 30 ms a crop.

        Args:
            images: Labelled crops, BGR.
            texts: What they read.
            centres_px: Of each crop the x, or x and y, of its characters in its pixels; may be
                off by a few hundredths of its width. Crops with another number of centres
                than characters are left as they are.
            seed: Chooses the crops to align where there are very many.

        Raises:
            BadData: No text length has a fixed layout; the message says why.
        """
        return cls(images, build_composition(images, texts, centres_px, seed=seed))

    @classmethod
    def load(cls, path: Path, *, images: Sequence[Image]) -> Self:
        """Read what save wrote, for the same crops in the same order.

        Raises:
            BadData: The file is no composition, or one of other crops.
        """
        composition = read_composition(path)
        if not np.array_equal(composition.sizes, sizes_of(images)):
            raise BadData(f"{path} was composed from other crops than these {len(images)}")
        return cls(images, composition)

    def save(self, path: Path) -> None:
        """Write everything but the crops to an .npz file."""
        write_composition(path, self.composition)

    @property
    def groups(self) -> tuple[GroupReport, ...]:
        """What became of each text length, shortest first."""
        return self.composition.reports

    @property
    def aligned(self) -> tuple[int, ...]:
        """Indices of the crops that are composed from and with."""
        return tuple(self._places)

    def compose(
        self,
        rng: np.random.Generator,
        index: int,
        *,
        swap_share: float,
        untouched_share: float,
    ) -> ComposedCrop:
        """Draw a crop in the pose and size of a labelled one.

        Args:
            rng: Source of randomness; the same state gives the same crop.
            index: Which labelled crop to start from.
            swap_share: Chance of each character to be swapped where many could stand.
            untouched_share: Chance of the crop to be left as it is.
        """
        if index not in self._places:
            return self._as_labelled(index)
        number, row = self._places[index]
        group = self.composition.groups[number]
        image, text = self.images[index], self.composition.texts[index]
        if rng.random() >= untouched_share:
            swaps = self._vocabularies[number].draw(rng, swap_share=swap_share)
            image, text = self._swap(rng, image, text, group, row, swaps)
        return ComposedCrop(image, text, group.centres_px(row), is_aligned=True)

    def is_rare(self, index: int) -> bool:
        """Whether a crop shows a character where nearly all others show one and the same."""
        if index not in self._places:
            return False
        number, _ = self._places[index]
        return self._vocabularies[number].is_rare(self.composition.texts[index])

    def _swap(
        self,
        rng: np.random.Generator,
        image: Image,
        text: str,
        group: CropGroup,
        row: int,
        swaps: list[tuple[int, str]],
    ) -> tuple[Image, str]:
        painted, characters = image.copy(), list(text)
        for position, character in swaps:
            alpha = self._draw_matte(rng, group, position, character)
            paint_character(
                painted, group.mattes[row], group.warps[row], group.cells, position, alpha
            )
            characters[position] = character
        return painted, "".join(characters)

    def _draw_matte(
        self, rng: np.random.Generator, group: CropGroup, position: int, character: str
    ) -> NDArray[np.uint8]:
        height, width = group.cells.height_px, int(group.cells.widths_px[position])
        sources = self._library.fitting(character, height, width)
        alpha = self._library.alpha(sources[int(rng.integers(len(sources)))])
        if alpha.shape != (height, width):
            alpha = cv2.resize(alpha, (width, height), interpolation=cv2.INTER_LINEAR)
        share = VARIED_SHARE_OF_FEW if len(sources) < FEW else VARIED_SHARE
        return vary_shape(alpha, rng) if rng.random() < share else alpha

    def _as_labelled(self, index: int) -> ComposedCrop:
        image, x = self.images[index], self.composition.centres_px[index]
        centres = np.stack([x, np.full_like(x, (image.shape[0] - 1) / 2)], axis=1)
        return ComposedCrop(image, self.composition.texts[index], centres, is_aligned=False)

    def _learn(self, group: CropGroup) -> Vocabulary:
        height = group.cells.height_px
        widths = group.cells.widths_px
        return Vocabulary(
            group.texts, [self._library.available(height, int(width)) for width in widths]
        )
