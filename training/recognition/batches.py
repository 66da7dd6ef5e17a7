"""Batches of augmented crops: a pure function of seed, rank and step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import frame_count, to_line_batch
from training.forms.exportable import Run
from training.recognition.augment import augment_crop
from training.recognition.plan import Plan
from training.recognition.samples import frames_needed
from training.recognition.source import CropSource, LabelledCrop


@dataclass(frozen=True)
class CropBatch:
    """One step of one rank.

    Attributes:
        images: (N, C, H, W) as the net in training takes them.
        labels: (N, L) classes, padded with 0.
        label_lengths: (N,).
        frame_lengths: (N,) valid output frames.
        guide_frames: (K,) indexes of the (N * T) output frames in which a character is expected.
        guide_labels: (K,) the class of each of these characters.
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int32]
    label_lengths: NDArray[np.int64]
    frame_lengths: NDArray[np.int64]
    guide_frames: NDArray[np.int64]
    guide_labels: NDArray[np.int64]


@dataclass(frozen=True)
class CropBatchMaker:
    """Makes the batch of any step.

    Attributes:
        plan: Which crops are drawn at which step.
        source: Gives a drawn crop.
        fallback: Gives it when the text from `source` does not fit the width.
        spec: The input of the net.
        augmentation: Strength of augmentation.
        seed: Seed of augmentation.
        rank: The rank that gets the batches.
        front: The part of the net that is not learnt, which the images pass here.
    """

    plan: Plan
    source: CropSource
    fallback: CropSource
    spec: LineSpec
    augmentation: float
    seed: int
    rank: int
    front: Run | None = None

    def make(self, step: int) -> CropBatch:
        """Return the batch of a step."""
        rng = np.random.default_rng([self.seed, self.rank, step])
        draw = self.plan.draw(step=step, rank=self.rank)
        crops: list[LabelledCrop] = []
        for index, width_px in zip(draw.indexes.tolist(), draw.widths_px.tolist(), strict=True):
            crop = self.source.draw(index, rng)
            if frames_needed(crop.labels) > frame_count(width_px, self.spec):
                crop = self.fallback.draw(index, rng)
            crops.append(self._augment(crop, width_px=width_px, rng=rng))
        batch = collate(crops, self.spec)
        return batch if self.front is None else replace(batch, images=self.front(batch.images))

    def _augment(
        self, crop: LabelledCrop, *, width_px: int, rng: np.random.Generator
    ) -> LabelledCrop:
        image, centres_px = augment_crop(
            crop.image,
            crop.centres_px,
            around_px=crop.around_px,
            width_px=width_px,
            height_px=self.spec.height_px,
            strength=self.augmentation,
            keep_height=self.spec.layout == "line",
            rng=rng,
        )
        return LabelledCrop(image, crop.labels, centres_px)


def collate(crops: Sequence[LabelledCrop], spec: LineSpec) -> CropBatch:
    """Stack fitted crops to a batch for a net that takes `spec`."""
    images = to_line_batch([crop.image for crop in crops], spec)
    frames = images.shape[3] // spec.frame_px
    lengths = np.array([len(crop.labels) for crop in crops], dtype=np.int64)
    labels = np.zeros((len(crops), lengths.max()), dtype=np.int32)
    guide: dict[int, int] = {}
    for number, crop in enumerate(crops):
        labels[number, : len(crop.labels)] = crop.labels
        last = frame_count(crop.image.shape[1], spec) - 1
        places = np.clip(crop.centres_px[:, 0] // spec.frame_px, 0, last).astype(np.int64)
        guide.update(zip((places + number * frames).tolist(), crop.labels.tolist(), strict=True))
    return CropBatch(
        images=images,
        labels=labels,
        label_lengths=lengths,
        frame_lengths=np.array([frame_count(crop.image.shape[1], spec) for crop in crops]),
        guide_frames=np.fromiter(guide.keys(), dtype=np.int64),
        guide_labels=np.fromiter(guide.values(), dtype=np.int64),
    )
