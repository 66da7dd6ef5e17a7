"""Candidate and opponent on the same images, in one pass."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from ocr.errors import BadData
from ocr.evaluation.bootstrap import Codes, Interval, estimate, group_codes, wilson
from ocr.evaluation.comparison import Comparison, compare_paired, compare_with_number
from ocr.evaluation.confusion import count_confusions
from ocr.evaluation.lines.calibration import calibrate
from ocr.evaluation.lines.latency import Stopwatch
from ocr.evaluation.lines.report import (
    EvaluatedLine,
    LinesModelReport,
    LinesReport,
    Reading,
)
from ocr.evaluation.metrics import Ratio, Values, score_lines, summarise
from ocr.evaluation.slices import SlicedLine, measure_slices, sharpness_of
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser

TIMED_ALONE = 50


class LabelledLine(Protocol):
    """A test line: a row of a snapshot's table."""

    @property
    def id(self) -> str:
        """SHA-256 of the encoded image."""

    @property
    def text(self) -> str:
        """What the image reads."""

    @property
    def source(self) -> str:
        """Where it came from."""

    @property
    def group(self) -> str:
        """The document it belongs to; empty: none."""


def evaluate_lines(
    *,
    candidate: Recogniser,
    opponent: Recogniser | None,
    samples: Iterable[tuple[LabelledLine, Image]],
    required_accuracy: float | None = None,
    training_counts: Mapping[str, int] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    batch_size: int = 32,
    on_progress: Callable[[int], None] | None = None,
) -> LinesReport:
    """Read every image with both models and measure all the report and the gate need.

    The two take turns batch by batch, each first in every other batch, after a warm-up outside the
    clock, so that neither profits from a quiet moment or a warm cache. Images are streamed.

    Args:
        candidate: The model under test.
        opponent: Who reads beside it; None: nobody.
        samples: The test lines with their images; images are (H, W, 3) BGR.
        required_accuracy: An accuracy to compare with where there is no opponent.
        training_counts: Occurrences of each character in the training texts, if known.
        resamples: Bootstrap resamples, with their ``seed``.
        seed: Of the bootstrap.
        batch_size: Images read at once.
        on_progress: Told the number of lines read so far.

    Raises:
        BadData: There are no test lines.
    """
    models = [Stopwatch(recogniser=candidate, batch_size=batch_size)]
    if opponent is not None:
        models.append(Stopwatch(recogniser=opponent, batch_size=batch_size))
    lines = list(_read_all(models, samples, batch_size=batch_size, on_progress=on_progress))
    if not lines:
        raise BadData("No lines to measure: the test split is empty")
    codes = group_codes([line.group for line in lines])
    draws = _Bootstrap(codes=codes, resamples=resamples, seed=seed)
    candidate_readings = [line.candidate for line in lines]
    ours = _right(candidate_readings, lines)
    opponent_readings = [line.opponent for line in lines if line.opponent is not None]
    theirs = _right(opponent_readings, lines) if opponent_readings else None
    return LinesReport(
        candidate=_report_model(models[0], candidate_readings, lines, draws),
        opponent=_report_model(models[1], opponent_readings, lines, draws) if opponent else None,
        comparison=_compare(ours, theirs, required_accuracy, draws),
        slices=measure_slices(
            [_sliced(line) for line in lines],
            candidate=ours,
            opponent=theirs,
            training_counts=training_counts or {},
        ),
        lines=lines,
        resamples=resamples,
        seed=seed,
    )


@dataclass(frozen=True)
class _Bootstrap:
    codes: Codes
    resamples: int
    seed: int

    def interval(self, ratio: Ratio) -> Interval:
        """Return a 95 % interval cut to what is possible; for shares at least Wilson's."""
        found = estimate(ratio, codes=self.codes, resamples=self.resamples, seed=self.seed)
        lower, upper = max(found.lower, 0.0), min(found.upper, max(1.0, found.value))
        if np.isin(ratio.numerator, (0.0, 1.0)).all() and (ratio.denominator == 1.0).all():
            by_line = wilson(int(ratio.numerator.sum()), len(ratio.numerator))
            lower, upper = min(lower, by_line.lower), max(upper, by_line.upper)
        return Interval(value=found.value, lower=lower, upper=upper)


def _read_all(
    models: Sequence[Stopwatch],
    samples: Iterable[tuple[LabelledLine, Image]],
    *,
    batch_size: int,
    on_progress: Callable[[int], None] | None,
) -> Iterator[EvaluatedLine]:
    done = 0
    remaining = iter(samples)
    batches = iter(lambda: list(islice(remaining, batch_size)), [])
    for number, batch in enumerate(batches):
        images = [image for _, image in batch]
        if number == 0:
            _warm_up(models, images)
        turn = models if number % 2 == 0 else models[::-1]
        readings = {id(model): model.read(images) for model in turn}
        for image in images[: max(0, TIMED_ALONE - done)]:
            for model in turn:
                model.read_alone(image)
        columns = [readings[id(model)] for model in models]
        for (sample, image), *read in zip(batch, *columns, strict=True):
            yield _line(sample, image, read)
        done += len(batch)
        if on_progress:
            on_progress(done)


def _warm_up(models: Sequence[Stopwatch], images: Sequence[Image]) -> None:
    for model in models:
        model.recogniser.recognise(images)
        model.recogniser.recognise(images[:1])


def _line(sample: LabelledLine, image: Image, read: Sequence[Recognition]) -> EvaluatedLine:
    readings = [Reading(text=item.text, confidence=item.confidence) for item in read]
    return EvaluatedLine(
        id=sample.id,
        text=sample.text,
        source=sample.source,
        group=sample.group,
        width_px=image.shape[1],
        height_px=image.shape[0],
        sharpness=sharpness_of(image),
        candidate=readings[0],
        opponent=readings[1] if len(readings) > 1 else None,
    )


def _report_model(
    model: Stopwatch, readings: Sequence[Reading], lines: Sequence[EvaluatedLine], draws: _Bootstrap
) -> LinesModelReport:
    texts, references = [reading.text for reading in readings], [line.text for line in lines]
    scores = score_lines(texts, references)
    confidences = np.array([reading.confidence for reading in readings])
    return LinesModelReport(
        name=model.recogniser.name,
        metrics=summarise(scores),
        intervals={name: draws.interval(score) for name, score in scores.items()},
        confusions=count_confusions(texts, references),
        calibration=calibrate(confidences, scores["accuracy"].numerator),
        latency=model.latency,
    )


def _compare(
    candidate: Values, opponent: Values | None, number: float | None, draws: _Bootstrap
) -> Comparison | None:
    if opponent is not None:
        return compare_paired(
            candidate, opponent, codes=draws.codes, resamples=draws.resamples, seed=draws.seed
        )
    if number is None:
        return None
    return compare_with_number(
        candidate, number, codes=draws.codes, resamples=draws.resamples, seed=draws.seed
    )


def _right(readings: Sequence[Reading], lines: Sequence[EvaluatedLine]) -> Values:
    pairs = zip(readings, lines, strict=True)
    return np.array([float(reading.text == line.text) for reading, line in pairs])


def _sliced(line: EvaluatedLine) -> SlicedLine:
    return SlicedLine(
        text=line.text,
        source=line.source,
        width_px=line.width_px,
        height_px=line.height_px,
        sharpness=line.sharpness,
    )
