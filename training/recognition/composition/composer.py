"""Compose new crops from labelled ones by swapping characters at aligned positions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from training.recognition.composition.layout import Layout, build_layout
from training.recognition.composition.painting import paint_characters, vary_shape
from training.recognition.composition.vocabulary import Vocabulary

SIZE_RATIO = 1.3
"""Most that two cells' widths differ whose characters may stand in for each other."""
VARIED_SHARE = 0.25
"""Characters whose shape is varied: rare ones would otherwise be learnt by heart."""

Places = list[tuple[int, int]]
"""Rows and positions of a layout."""


@dataclass(frozen=True)
class ComposedCrop:
    """A crop, perhaps with other characters than it was labelled with.

    Attributes:
        image: (H, W, 3), BGR; not to be written to, it may be the labelled crop itself.
        text: What it reads.
        centres_px: (P, 2), middles of its characters, x and y in its pixels.
    """

    image: Image
    text: str
    centres_px: NDArray[np.float64]


class CropComposer:
    """Draws composed crops; built once, then about half a millisecond each."""

    def __init__(
        self, images: NDArray[np.uint8], texts: Sequence[str], layouts: Sequence[Layout]
    ) -> None:
        self.layouts = layouts
        self._images = images
        self._texts = texts
        self._places = {
            int(index): (number, row)
            for number, layout in enumerate(layouts)
            for row, index in enumerate(layout.indexes)
        }
        lines = [[texts[index] for index in layout.indexes] for layout in layouts]
        pairs = list(zip(layouts, lines, strict=True))
        self._sources = [_collect_sources(layout, line) for layout, line in pairs]
        self._vocabularies = [Vocabulary(line, layout.is_legible) for layout, line in pairs]

    @classmethod
    def build(
        cls,
        images: NDArray[np.uint8],
        texts: Sequence[str],
        centres_px: Sequence[NDArray[np.float64]],
    ) -> Self:
        """Align the crops of each text length and take them apart, 20 ms a crop.

        Args:
            images: (N, H, W, 3), labelled crops, BGR, all of one size.
            texts: What they read.
            centres_px: Of each crop the x of its characters; may be off by a few hundredths of
                its width.

        Raises:
            BadData: No text length has a fixed layout; the message says why.
        """
        lengths: dict[int, list[int]] = defaultdict(list)
        for index, text in enumerate(texts):
            lengths[len(text)].append(index)
        layouts, refusals = [], []
        for length, members in sorted(lengths.items()):
            indexes = np.array(members)
            centres = np.stack([centres_px[index] for index in members])
            try:
                layouts.append(
                    build_layout(images[indexes], [texts[i] for i in members], centres, indexes)
                )
            except BadData as error:
                refusals.append(f"texts of {length} characters: {error}")
        if not layouts:
            raise BadData(f"No crops of a fixed layout to compose from: {'; '.join(refusals)}")
        return cls(images, texts, layouts)

    @classmethod
    def load(cls, path: Path, images: NDArray[np.uint8], texts: Sequence[str]) -> Self:
        """Read what save wrote, for the same crops in the same order."""
        with np.load(path, allow_pickle=False) as arrays:
            numbers = sorted({int(name.partition(".")[0]) for name in arrays.files})
            layouts = [
                Layout(**{field.name: arrays[f"{n}.{field.name}"] for field in fields(Layout)})
                for n in numbers
            ]
        return cls(images, texts, layouts)

    def save(self, path: Path) -> None:
        """Write everything but the crops to an .npz file."""
        arrays = {
            f"{number}.{field.name}": getattr(layout, field.name)
            for number, layout in enumerate(self.layouts)
            for field in fields(layout)
        }
        np.savez(path, allow_pickle=False, **arrays)

    @property
    def aligned(self) -> tuple[int, ...]:
        """Indexes of the crops that are composed from and with."""
        return tuple(self._places)

    def __contains__(self, index: int) -> bool:
        """Whether a crop is aligned."""
        return index in self._places

    def compose(
        self,
        rng: np.random.Generator,
        index: int,
        *,
        swap_share: float,
        untouched_share: float,
    ) -> ComposedCrop:
        """Draw a crop in the pose of a labelled one.

        Args:
            rng: Source of randomness; the same state gives the same crop.
            index: Which labelled crop to start from, one of `aligned`.
            swap_share: Chance of each character to be swapped where many could stand.
            untouched_share: Chance of the crop to be left as it is.
        """
        number, row = self._places[index]
        layout = self.layouts[number]
        image, text = self._images[index], self._texts[index]
        if rng.random() >= untouched_share:
            swaps = self._vocabularies[number].draw(rng, swap_share=swap_share)
            image = paint_characters(
                image,
                paper=layout.papers[row],
                ink=layout.inks[row],
                warp=layout.warps[row],
                cells=layout,
                alphas={p: self._draw_alpha(rng, number, p, c) for p, c in swaps.items()},
            )
            text = "".join(swaps.get(p, character) for p, character in enumerate(text))
        return ComposedCrop(image, text, layout.crop_centres_px(row))

    def _draw_alpha(
        self, rng: np.random.Generator, number: int, position: int, character: str
    ) -> NDArray[np.float32]:
        sources = self._sources[number][position][character]
        alpha = self.layouts[number].alpha(*sources[int(rng.integers(len(sources)))])
        return vary_shape(alpha, rng) if rng.random() < VARIED_SHARE else alpha


def _collect_sources(layout: Layout, texts: Sequence[str]) -> list[dict[str, Places]]:
    """By position and character, where that character stands in a cell of about that width."""
    everywhere: dict[str, Places] = defaultdict(list)
    for row, text in enumerate(texts):
        for position, character in enumerate(text):
            if layout.is_legible[row, position]:
                everywhere[character].append((row, position))
    widths = layout.widths_px
    return [
        {
            character: [
                (row, other)
                for row, other in places
                if 1 / SIZE_RATIO < widths[other] / width < SIZE_RATIO
            ]
            for character, places in everywhere.items()
        }
        for width in widths
    ]
