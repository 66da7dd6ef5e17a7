"""Which crops each rank sees at each step: a pure function of seed, rank and step."""

from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from configs.training import HEIGHTS_PER_CROP
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import LINE_WIDTH_LIMIT_PX, padded_width_px
from training.recognition.samples import Crops, find_rare, frames_needed

WIDTH_JITTER = 0.15
ORDER_JITTER = 0.05

Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Draw:
    """The crops of one batch, and the width each is to be fitted to."""

    indexes: Indexes
    widths_px: Indexes


class Plan(Protocol):
    """The order of a training set; where a run is in it follows from the step alone."""

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which all ranks together see every crop once."""
        ...

    def draw(self, *, step: int, rank: int) -> Draw:
        """Return the batch of one rank at one step."""
        ...


@dataclass(frozen=True)
class FixedPlan:
    """Batches of one size over an endless run of permutations.

    Attributes:
        pool: Indexes of one epoch; one that is listed twice is drawn twice.
        width_px: Width of every crop.
        batch_size: Crops per rank and step.
        ranks: Number of ranks.
        seed: Seed of the permutations.
    """

    pool: Indexes
    width_px: int
    batch_size: int
    ranks: int
    seed: int

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which all ranks together see the pool once."""
        return max(1, -(-len(self.pool) // (self.batch_size * self.ranks)))

    def draw(self, *, step: int, rank: int) -> Draw:
        """Return the batch of one rank at one step."""
        first = (step * self.ranks + rank) * self.batch_size
        places = np.arange(first, first + self.batch_size)
        indexes = np.empty(self.batch_size, dtype=np.int64)
        for epoch in np.unique(places // len(self.pool)):
            here = places // len(self.pool) == epoch
            order = _permute(len(self.pool), self.seed, int(epoch))
            indexes[here] = self.pool[order[places[here] % len(self.pool)]]
        return Draw(indexes, np.full(self.batch_size, self.width_px))


@dataclass(frozen=True)
class LinePlan:
    """Batches of lines of similar width, each of about the same area.

    Widths are jittered anew every epoch, as augmentation and so that batches mix; a jittered line
    stays wide enough for its text. Equal areas also keep the ranks in step.

    Attributes:
        pool: Indexes of one epoch; one that is listed twice is drawn twice.
        widths_px: Width of each crop once fitted.
        least_px: The narrowest that each crop may become.
        spec: The input of the net.
        budget_px: Columns per rank and step, padding included.
        ranks: Number of ranks.
        seed: Seed of jitter and order.
    """

    pool: Indexes
    widths_px: Indexes
    least_px: Indexes
    spec: LineSpec
    budget_px: int
    ranks: int
    seed: int
    _epochs: dict[int, list[Draw]] = field(default_factory=dict, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which all ranks together see the pool once, but for a few crops."""
        return max(1, len(self._epoch(0)) // self.ranks)

    def draw(self, *, step: int, rank: int) -> Draw:
        """Return the batch of one rank at one step."""
        epoch, place = divmod(step, self.steps_per_epoch)
        batches = self._epoch(epoch)
        return batches[(place * self.ranks + rank) % len(batches)]

    def _epoch(self, number: int) -> list[Draw]:
        with self._lock:  # loader threads come here
            if number not in self._epochs:
                for old in [known for known in self._epochs if 0 < known < number - 1]:
                    del self._epochs[old]
                self._epochs[number] = self._pack(np.random.default_rng([self.seed, number]))
            return self._epochs[number]

    def _pack(self, rng: np.random.Generator) -> list[Draw]:
        jitter = np.exp(rng.uniform(-WIDTH_JITTER, WIDTH_JITTER, len(self.pool)))
        widths = np.round(self.widths_px[self.pool] * jitter).astype(np.int64)
        widths = np.clip(widths, self.least_px[self.pool], LINE_WIDTH_LIMIT_PX)
        noise = np.exp(rng.uniform(-ORDER_JITTER, ORDER_JITTER, len(self.pool)))
        padded = np.array([padded_width_px(width, self.spec) for width in widths.tolist()])
        runs = _fill(np.argsort(widths * noise, kind="stable"), padded, self.budget_px)
        if self.spec.padding == "seen":
            for run in runs:
                widths[run] = self._share_width(widths[run], self.least_px[self.pool[run]])
        order = rng.permutation(len(runs))
        return [Draw(self.pool[runs[place]], widths[runs[place]]) for place in order]

    def _share_width(self, widths_px: Indexes, least_px: Indexes) -> Indexes:
        """Bring the lines of a batch to widths that are padded to one."""
        widest = max(int(widths_px.mean()), int(least_px.max()))
        padded_px = padded_width_px(widest, self.spec)
        is_least = padded_px == padded_width_px(1, self.spec)
        shortest_px = 1 if is_least else padded_px - self.spec.width_multiple_px + 1
        return np.clip(widths_px, shortest_px, padded_px)


def make_plan(
    crops: Crops, *, spec: LineSpec, batch_size: int, ranks: int, seed: int
) -> FixedPlan | LinePlan:
    """Plan the epochs of a training set; crops with rare characters come twice.

    Args:
        crops: The training set.
        spec: The input of the net.
        batch_size: Crops per rank and step. Of lines, as many as are as wide together as this many
            lines of three heights.
        ranks: Number of ranks.
        seed: Seed of the order.
    """
    pool = np.concatenate([np.arange(len(crops)), find_rare(crops.texts)])
    if spec.layout == "fixed":
        return FixedPlan(pool, spec.width_px, batch_size, ranks, seed)
    frames = np.array([frames_needed(labels) for labels in crops.labels])
    return LinePlan(
        pool=pool,
        widths_px=crops.widths_px,
        least_px=np.minimum(narrowest_px(frames, spec), crops.widths_px),
        spec=spec,
        budget_px=batch_size * HEIGHTS_PER_CROP * spec.height_px,
        ranks=ranks,
        seed=seed,
    )


def narrowest_px(frames: Indexes, spec: LineSpec) -> Indexes:
    """Return the least width of lines whose texts need so many frames, with one to spare."""
    return spec.frame_px * (frames + 1)


def _fill(order: Indexes, padded_px: Indexes, budget_px: int) -> list[Indexes]:
    """Cut an order into runs whose padded area stays within the budget."""
    runs: list[Indexes] = []
    start, widest = 0, 0
    for place, padded in enumerate(padded_px[order].tolist()):
        if place > start and max(widest, padded) * (place - start + 1) > budget_px:
            runs.append(order[start:place])
            start, widest = place, 0
        widest = max(widest, padded)
    runs.append(order[start:])
    return runs


@lru_cache(maxsize=4)
def _permute(count: int, seed: int, epoch: int) -> Indexes:
    return np.random.default_rng([seed, epoch]).permutation(count)
