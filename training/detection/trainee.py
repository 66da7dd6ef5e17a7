"""The detector as the loop trains it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import paddle

from configs.jobs import TrainDetectorJob
from configs.training import DetectorNet, DetectorTrainingParams
from ocr.dataset.pages.snapshot import of_people, open_page_snapshot
from ocr.models.detector_spec import PageSpec
from training.detection.batches import ViewBatch, ViewBatchMaker
from training.detection.checkpoint import save_detector
from training.detection.loss import detection_loss
from training.detection.ppocr_v6.start import start_pretrained
from training.detection.samples import (
    TrainPage,
    ValPage,
    check_split,
    collect_train_pages,
    collect_val_pages,
)
from training.detection.start import start_compact
from training.detection.tuning import find_coarse_rule, tune_rule
from training.detection.validation import PageMap, map_pages, validate_rule
from training.job import SNAPSHOT
from training.loop.checkpoint import read_weights
from training.loop.ranks import Ranks
from training.loop.trainee import SecondPhase, Tensor, Validation, spread
from training.start import Start

STARTS: dict[DetectorNet, Callable[[DetectorTrainingParams], Start]] = {
    "compact": start_compact,
    "ppocr-v6-small": start_pretrained,
}
VIEWS_PER_PAGE = 8
"""Views drawn of a page in one epoch, on average."""
VALIDATED_SHARE = 0.01
"""Pages read by all validations before the last, per view learnt from: 3 % of the time."""
LEAST_VALIDATED = 8
MOST_TUNED = 100
"""Limit of the validation pages that the rule is tuned on."""


class DetectorTrainee:
    """The net, batches, loss and validation of a detector; see `training.loop.trainee`."""

    second_phase: SecondPhase | None = None

    def __init__(
        self,
        training: DetectorTrainingParams,
        *,
        start: Start,
        train: list[TrainPage],
        val: list[ValPage],
        ranks: Ranks,
    ) -> None:
        """Plan a training.

        Args:
            training: How to train.
            start: The net at the first step.
            train: The training set.
            val: The validation set.
            ranks: This rank among the others.
        """
        self._start = start
        self._val = val
        self._ranks = ranks
        views = VIEWS_PER_PAGE * len(train)
        self.steps = training.epochs * max(1, -(-views // (training.batch_size * ranks.count)))
        self._maker = ViewBatchMaker(
            pages=train,
            batch_size=training.batch_size,
            width_px=training.crop_width_px,
            height_px=training.crop_height_px,
            augmentation=training.augmentation,
            seed=training.seed,
            rank=ranks.rank,
            map_px=start.spec.target.map_px,
            front=start.front,
        )
        learnt = training.epochs * views
        self._limit = int(VALIDATED_SHARE * learnt / training.evaluations) + LEAST_VALIDATED

    def build_net(self) -> Any:
        """Return a new net."""
        return self._start.build()

    def batches(self) -> Callable[[int], ViewBatch]:
        """Return the maker of batches."""
        return self._maker.make

    def loss(self, outputs: Tensor, batch: ViewBatch, *, step: int) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return the loss to descend, which is also the one to report."""
        kernels, mask = paddle.to_tensor(batch.kernels), paddle.to_tensor(batch.mask)
        loss = detection_loss(outputs, kernels, mask)
        return loss, loss.detach()

    def validate(self, net: Any) -> Validation:
        """Find the text of some pages by the better of a few rules."""
        chosen = spread(len(self._val), limit=self._limit)
        maps = list(self._map(net, [self._val[at] for at in chosen.tolist()]))
        rule, _ = find_coarse_rule(maps, beat=self._ranks.beat)
        return validate_rule(maps, rule)

    def finish(self, net: Any, checkpoint: Path) -> dict[str, float]:
        """Tune the rule, find the text of all pages by it, and save net and rule."""
        chosen = set(spread(len(self._val), limit=MOST_TUNED).tolist())
        maps = list(self._map(net, [self._val[at] for at in sorted(chosen)]))
        rule = tune_rule(maps, beat=self._ranks.beat)
        weights = self._start.frozen | read_weights(net)
        save_detector(checkpoint, weights=weights, spec=self._start.spec, rule=rule)
        others = (page for at, page in enumerate(self._val) if at not in chosen)
        return validate_rule(chain(maps, self._map(net, others)), rule).metrics

    def _map(self, net: Any, pages: Iterable[ValPage]) -> Iterator[PageMap]:
        return map_pages(net, pages, target=self._start.spec.target, beat=self._ranks.beat)


def open_detector(job: TrainDetectorJob, folder: Path, *, ranks: Ranks) -> DetectorTrainee:
    """Decode the page snapshot of a job into memory and plan the training on it.

    Raises:
        BadInput: The net to start from is not on this machine.
        BadData: The train or val split has no page, or none with a region that counts.
    """
    start = STARTS[job.training.net](job.training)
    snapshot = open_page_snapshot(folder / SNAPSHOT)
    spec = PageSpec(job.training.long_side_px)
    train = collect_train_pages(
        ((snapshot.image(page), page.regions) for page in of_people(snapshot.samples("train"))),
        spec=spec,
        shrink_ratio=start.spec.target.shrink_ratio,
    )
    val = collect_val_pages(
        ((image, page.regions) for page, image in snapshot.images("val")),
        spec=spec,
    )
    check_split("train", [not page.shapes.ignored.all() for page in train])
    check_split("val", [any(not region.ignored for region in page.regions) for page in val])
    return DetectorTrainee(job.training, start=start, train=train, val=val, ranks=ranks)
