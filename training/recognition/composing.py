"""From labelled crops to composed ones: alignment by the net itself, then the composer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from configs.training import CompositionParams
from ocr.errors import BadData
from ocr.image.pixels import encode_png
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.ctc import align
from ocr.reading.recognition.line_input import FRAME_PX
from training.recognition.composition import CropComposer, preview
from training.recognition.samples import Crops
from training.recognition.source import CropSource, LabelledCrop
from training.recognition.validation import read_crops, valid_frames

COMPOSER = "composition.npz"
PREVIEW = "composition.png"
LARGEST_SET = 20_000
"""Crops that characters are taken from and painted into; the others stay as they are."""


@dataclass(frozen=True)
class ComposedSource:
    """Crops composed by swapping characters at aligned positions.

    Attributes:
        composer: Knows the first crops of the set, in their order.
        fallback: Draws the others.
        charset: To encode composed texts.
        params: How much is swapped.
    """

    composer: CropComposer
    fallback: CropSource
    charset: Charset
    params: CompositionParams

    def draw(self, index: int, rng: np.random.Generator) -> LabelledCrop:
        """Return a crop made from the one at an index."""
        if index >= len(self.composer.images):
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
            spec: The input of the net.
            charset: To encode composed texts.
            params: Whether and how.
            start_step: The step before which characters are aligned.
            seed: Of the composer.
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
        known = self._crops.images[:LARGEST_SET]
        composer = CropComposer.load(self._folder / COMPOSER, images=known)
        return ComposedSource(composer, self._plain, self._charset, self._params)

    def build(self, net: Any) -> str:
        """Align the crops with a net, build their composer and leave it in the folder.

        Returns:
            Why the crops cannot be composed; empty when they can.
        """
        known = min(len(self._crops), LARGEST_SET)
        centres_px = align_crops(net, self._crops, indexes=np.arange(known), spec=self._spec)
        images, texts = self._crops.images[:known], self._crops.texts[:known]
        try:
            composer = CropComposer.build(images, texts, centres_px, seed=self._seed)
        except BadData as error:
            return f"No composition: {error}"
        composer.save(self._folder / COMPOSER)
        picture = preview(composer, np.random.default_rng(self._seed))
        (self._folder / PREVIEW).write_bytes(encode_png(picture))
        return ""


def align_crops(
    net: Any,
    crops: Crops,
    *,
    indexes: NDArray[np.int64],
    spec: LineSpec,
) -> Sequence[NDArray[np.float64]]:
    """Return the x of each character of each crop, in pixels of the crop."""
    centres_px: dict[int, NDArray[np.float64]] = {}
    for batch, probabilities in read_crops(net, crops, indexes=indexes, spec=spec):
        for index, frames in zip(batch, probabilities.numpy(), strict=True):
            valid = np.log(frames[: valid_frames(crops, index)] + 1e-9)
            places = (align(valid, crops.labels[index].tolist()) + 0.5) * FRAME_PX
            scale = crops.images[index].shape[1] / float(crops.widths_px[index])
            centres_px[index] = places * scale
    return [centres_px[index] for index in indexes.tolist()]
