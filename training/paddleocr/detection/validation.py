"""Reads the val split with an exported net as our detector does, by a rule tuned on some of it."""

from collections.abc import Container, Iterator
from itertools import chain

import numpy as np

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.reading.detection.page_input import fit_page, to_page_input
from training.detection.samples import LabelledPage
from training.detection.shapes import MapTarget
from training.detection.trainee import MOST_TUNED
from training.detection.tuning import tune_rule
from training.detection.validation import PageMap, measure_rule
from training.forms.exportable import Run
from training.loop.trainee import spread

TARGET = MapTarget(map_px=1, shrink_ratio=0.4)
"""A DB map of PaddleOCR."""


def tune_exported(
    net: Run, spec: PageSpec, snapshot: PageSnapshot
) -> tuple[BoxRule, dict[str, float]]:
    """Return the best rule for a net's maps, and hmean, precision and recall of the val split."""
    samples = list(snapshot.samples("val"))
    chosen = {samples[at].id for at in spread(len(samples), limit=MOST_TUNED).tolist()}
    others = {sample.id for sample in samples} - chosen
    maps = list(_map(net, spec, snapshot, chosen))
    rule = tune_rule(maps, beat=lambda: None)
    report = measure_rule(chain(maps, _map(net, spec, snapshot, others)), rule)
    metrics = {"hmean": report.hmean, "precision": report.precision, "recall": report.recall}
    return rule, metrics


def _map(
    net: Run, spec: PageSpec, snapshot: PageSnapshot, chosen: Container[str]
) -> Iterator[PageMap]:
    for sample in snapshot.samples("val"):
        if sample.id not in chosen:
            continue
        image = snapshot.image(sample)
        found = net(to_page_input(fit_page(image, spec), spec))[0, 0]
        page = LabelledPage(sample.regions, width_px=image.shape[1], height_px=image.shape[0])
        yield PageMap(page, np.asarray(found), TARGET)
