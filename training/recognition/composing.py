"""From labelled crops to composed ones: alignment by the net itself, then the composer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from configs.training import CompositionParams
from ocr.errors import BadData
from ocr.image.pixels import Image, encode_png
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.ctc import align
from training.recognition.composition import CropComposer
from training.recognition.samples import Crops
from training.recognition.source import CropSource, LabelledCrop
from training.recognition.validation import read_crops

COMPOSER = "composition.npz"
PREVIEW = "composition.png"
MOST_COMPOSED = 2000
"""Crops that characters are taken from and painted into; the others stay as they are."""
SCALE = 1.5
"""Crops are composed at so many times the size of the net's input: painting blurs a little."""
PREVIEW_ROWS, PREVIEW_PAIRS = 12, 4


@dataclass(frozen=True)
class ComposedSource:
    """Crops composed by swapping characters at aligned positions.

    Attributes:
        composer: Knows the first crops of the set, in their order.
        fallback: Draws those that it could not align.
        charset: To encode composed texts.
        params: How much is swapped.
    """

    composer: CropComposer
    fallback: CropSource
    charset: Charset
    params: CompositionParams

    def draw(self, index: int, rng: np.random.Generator) -> LabelledCrop:
        """Return a crop made from the one at an index."""
        if index not in self.composer:
            return self.fallback.draw(index, rng)
        composed = self.composer.compose(
            rng,
            index,
            swap_share=self.params.swap_share,
            untouched_share=self.params.untouched_share,
        )
        labels = np.asarray(self.charset.encode(composed.text), dtype=np.int32)
        return LabelledCrop(composed.image, labels, composed.centres_px)


class Composition:
    """A recogniser's second phase: where a run stands with it, and where its crops come from."""

    def __init__(
        self,
        crops: Crops,
        *,
        plain: CropSource,
        spec: LineSpec,
        charset: Charset,
        params: CompositionParams,
        start_step: int,
        seed: int,
        folder: Path,
    ) -> None:
        """Prepare to compose.

        Args:
            crops: The training set.
            plain: Draws them as they are.
            spec: The input of the net, layout fixed where composition is enabled.
            charset: To encode composed texts.
            params: Whether and how.
            start_step: The step before which characters are aligned.
            seed: Of the preview.
            folder: Where the composer and its preview are left.
        """
        self.status: Literal["off", "pending", "running", "refused"]
        self.status = "pending" if params.enabled else "off"
        self.start_step = start_step
        self._crops = crops
        self._plain = plain
        self._spec = spec
        self._charset = charset
        self._params = params
        self._seed = seed
        self._folder = folder

    @property
    def source(self) -> CropSource:
        """Where crops come from now."""
        if self.status != "running":
            return self._plain
        composer = CropComposer.load(self._folder / COMPOSER, *self._known())
        return ComposedSource(composer, self._plain, self._charset, self._params)

    def build(self, net: Any) -> str:
        """Align the crops with a net, build their composer and leave it in the folder.

        Returns:
            Why the crops cannot be composed; empty when they can.
        """
        images, texts = self._known()
        centres_px = find_centres(net, self._crops, indexes=np.arange(len(texts)), spec=self._spec)
        try:
            composer = CropComposer.build(images, texts, [x * SCALE for x in centres_px])
        except BadData as error:
            return f"No composition: {error}"
        composer.save(self._folder / COMPOSER)
        picture = draw_preview(composer, images, np.random.default_rng(self._seed))
        (self._folder / PREVIEW).write_bytes(encode_png(picture))
        return ""

    def _known(self) -> tuple[NDArray[np.uint8], Sequence[str]]:
        """The crops to compose from, all of one size, and their texts."""
        size = round(self._spec.width_px * SCALE), round(self._spec.height_px * SCALE)
        images = [
            cv2.resize(self._crops.line(index), size, interpolation=cv2.INTER_CUBIC)
            for index in range(min(len(self._crops), MOST_COMPOSED))
        ]
        return np.stack(images), self._crops.texts[:MOST_COMPOSED]


def find_centres(
    net: Any, crops: Crops, *, indexes: NDArray[np.int64], spec: LineSpec
) -> Sequence[NDArray[np.float64]]:
    """Return the x of each character of each crop, in pixels of the net's input."""
    centres_px: dict[int, NDArray[np.float64]] = {}
    for batch, probabilities in read_crops(net, crops, indexes=indexes, spec=spec):
        for index, frames in zip(batch, probabilities.numpy(), strict=True):
            places = align(np.log(frames + 1e-9), crops.labels[index].tolist())
            centres_px[index] = np.asarray((places + 0.5) * spec.frame_px, np.float64)
    return [centres_px[index] for index in indexes.tolist()]


def draw_preview(
    composer: CropComposer, images: NDArray[np.uint8], rng: np.random.Generator
) -> Image:
    """Draw a grid of pairs, a labelled crop left and one composed from it right."""
    tiles = []
    for index in rng.choice(composer.aligned, PREVIEW_ROWS * PREVIEW_PAIRS):
        composed = composer.compose(rng, int(index), swap_share=0.6, untouched_share=0)
        tiles.append(np.hstack([images[index], composed.image]))
    rows = [np.hstack(tiles[n::PREVIEW_ROWS]) for n in range(PREVIEW_ROWS)]
    return np.vstack(rows)
