"""The text model of a recogniser: of the training texts, weighed on the validation lines."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from ocr.dataset.lines.snapshot import LineSample, LineSnapshot
from ocr.evaluation.lines.text_gain import ReadLine, TextGain, measure_text_gain
from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.text_model import TextModel, count_ngrams
from ocr.reading.recognition.recogniser import OnnxRecogniser

MOST_LINES = 2500
"""Validation lines that are read at most: half a minute with the slowest net."""
MOST_GOLDEN = 8
BATCH = 64
SEED = 0


def weigh_text_model(
    snapshot: LineSnapshot, recogniser: OnnxRecogniser, charset: Charset
) -> tuple[TextGain | None, list[tuple[Image, dict[str, Any]]]]:
    """Count the training texts and measure what they help in reading the validation lines.

    Args:
        snapshot: What the recogniser was trained on.
        recogniser: Reads with the form that serves.
        charset: Its characters.

    Returns:
        The gain, None without texts or lines to tell; and some lines that are read otherwise with
        it, with their rows of the snapshot: they prove that a text model is used.
    """
    ngrams, counts, numerals = count_ngrams(snapshot.values("text", "train"), charset)
    samples = list(islice(snapshot.samples("val"), MOST_LINES))
    if not samples or not len(ngrams):
        return None, []
    gain = measure_text_gain(
        TextModel(ngrams, counts, numerals, weight=0.0),
        _read(snapshot, samples, recogniser),
        charset,
        seed=SEED,
    )
    changed = [samples[at] for at in gain.changed[:MOST_GOLDEN]]
    return gain, [(snapshot.image(one), asdict(one)) for one in changed]


def _read(
    snapshot: LineSnapshot, samples: Sequence[LineSample], recogniser: OnnxRecogniser
) -> Iterator[ReadLine]:
    remaining = iter(samples)
    for batch in iter(lambda: list(islice(remaining, BATCH)), []):
        read = recogniser.probabilities([snapshot.image(sample) for sample in batch])
        for sample, probabilities in zip(batch, read, strict=True):
            yield ReadLine(sample.text, sample.group, probabilities)
