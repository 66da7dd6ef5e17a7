"""Batches of views of pages: a pure function of seed, rank and step."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from training.detection.augment import draw_view, render_view
from training.detection.samples import TrainPage
from training.detection.shapes import draw_targets
from training.forms.exportable import Run


@dataclass(frozen=True)
class ViewBatch:
    """One step of one rank.

    Attributes:
        images: (N, C, H, W) as the net in training takes them.
        kernels: (N, 1, h, w) of the map, 1 where a kernel is.
        mask: (N, 1, h, w) 0 where the loss looks away.
    """

    images: NDArray[np.float32]
    kernels: NDArray[np.float32]
    mask: NDArray[np.float32]


@dataclass(frozen=True)
class ViewBatchMaker:
    """Makes the batch of any step; pages come in proportion to the root of their regions.

    Attributes:
        pages: The training set.
        batch_size: Views per step.
        width_px: Width of a view.
        height_px: Height of a view.
        augmentation: Strength of augmentation.
        seed: Seed of all that is drawn.
        rank: The rank that gets the batches.
        map_px: Pixels of a view per pixel of the map, along each side.
        front: The part of the net that is not learnt, which the views pass here.
    """

    pages: list[TrainPage]
    batch_size: int
    width_px: int
    height_px: int
    augmentation: float
    seed: int
    rank: int
    map_px: int
    front: Run | None = None
    _shares: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        weights = np.sqrt([max(1, len(page.shapes)) for page in self.pages])
        object.__setattr__(self, "_shares", weights / weights.sum())

    def make(self, step: int) -> ViewBatch:
        """Return the batch of a step."""
        rng = np.random.default_rng([self.seed, self.rank, step])
        drawn = rng.choice(len(self.pages), size=self.batch_size, p=self._shares)
        images = np.empty((len(drawn), 3, self.height_px, self.width_px), np.float32)
        targets = np.empty((2, len(drawn), *self._map_size), np.float32)
        for place, index in enumerate(drawn.tolist()):
            view, targets[0, place, 0], targets[1, place, 0] = self._view(self.pages[index], rng)
            images[place] = view
        passed = images if self.front is None else self.front(images)
        return ViewBatch(passed, kernels=targets[0], mask=targets[1])

    @property
    def _map_size(self) -> tuple[int, int, int]:
        return 1, self.height_px // self.map_px, self.width_px // self.map_px

    def _view(
        self, page: TrainPage, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        width_px, height_px, strength = self.width_px, self.height_px, self.augmentation
        matrix = draw_view(page, width_px=width_px, height_px=height_px, strength=strength, rng=rng)
        view = render_view(
            page.grey, matrix, width_px=width_px, height_px=height_px, strength=strength, rng=rng
        )
        kernels, mask = draw_targets(
            page.shapes, matrix, width_px=width_px, height_px=height_px, map_px=self.map_px
        )
        return view, kernels, mask
