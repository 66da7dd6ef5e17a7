"""Validation of a recogniser: reads crops with a net, and compares with their texts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray

from ocr.evaluation.lines.metrics import measure_lines
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.ctc import decode
from ocr.reading.recognition.line_input import batches_by_width, fit_line, to_line_batch
from training.loop.trainee import Validation, spread
from training.recognition.batches import collate
from training.recognition.loss import ctc_per_character
from training.recognition.samples import Crops
from training.recognition.source import LabelledCrop

BATCH_PX = 64 * 128
"""Pixel columns per batch; more need more memory and are no faster."""


def validate(
    net: Any,
    crops: Crops,
    *,
    spec: LineSpec,
    charset: Sequence[str],
    limit: int,
    beat: Callable[[], None],
) -> Validation:
    """Read at most `limit` crops, spread over the split, and compare with their texts.

    Returns:
        accuracy (share read exactly; the score), ned (mean of 1 - normalised edit distance) and
        loss (CTC nats per character).
    """
    chosen = spread(len(crops), limit=limit)
    texts: dict[int, str] = {}
    nats, characters = 0.0, 0
    for indexes, probabilities in read_crops(net, crops, indexes=chosen, spec=spec):
        for index, frames in zip(indexes, probabilities.numpy(), strict=True):
            texts[index] = decode(frames, charset).text
        batch = collate([_fitted(crops, index, spec) for index in indexes], spec)
        count = int(batch.label_lengths.sum())
        logits = (probabilities + 1e-9).log()
        nats += float(ctc_per_character(logits, batch)) * count
        characters += count
        beat()
    metrics = measure_lines(
        [texts[index] for index in chosen.tolist()],
        [crops.texts[index] for index in chosen.tolist()],
    )
    loss = nats / characters
    values = {"accuracy": metrics.accuracy, "ned": metrics.ned, "loss": loss}
    return Validation(score=metrics.accuracy, loss=loss, metrics=values)


def read_crops(
    net: Any, crops: Crops, *, indexes: NDArray[np.int64], spec: LineSpec
) -> Iterator[tuple[list[int], Any]]:
    """Yield batches of indexes with their probabilities, a tensor (N, T, C).

    Crops come sorted by width, so that little is padded.
    """
    widths_px = crops.widths_px[indexes].tolist()
    for places in batches_by_width(widths_px, spec=spec, budget_px=BATCH_PX):
        batch = indexes[places].tolist()
        images = to_line_batch([fit_line(crops.line(index), spec) for index in batch], spec)
        with paddle.no_grad():
            yield batch, net(paddle.to_tensor(images))


def _fitted(crops: Crops, index: int, spec: LineSpec) -> LabelledCrop:
    """A crop without expected centres, as only its labels and width count here."""
    image = fit_line(crops.line(index), spec)
    return LabelledCrop(image, crops.labels[index], np.zeros((len(crops.labels[index]), 2)))
