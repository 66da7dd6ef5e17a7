"""How much a text model helps a recogniser, and with which weight: from validation lines."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Interval, Resampling, estimate, group_codes
from ocr.evaluation.held_out import choose_held_out
from ocr.evaluation.ratio import mean_of
from ocr.models.bundle import TEXT_MODEL_GAIN
from ocr.models.charset import Charset
from ocr.models.text_model import TextModel
from ocr.reading.recognition.decoder import Decoder

WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
RESAMPLES = 2000
CONFIDENCE = 0.6
"""Of the two-sided interval that has to lie above 0: one that does helps with about 80 %.

With a net of PP-OCRv6 on receipts the score rose by 0.0045 (95 % interval -0.0036 to +0.0131), and
the test pages were read 0.8 points better: to ask for 97.5 % leaves such a text model out. Where
any rise was enough, 6 of 30 models of random texts were used, and they read fresh lines worse.
"""
_FEWEST = 2  # documents: to be likely is enough
GAIN_AT_WEIGHT = "text_model_gain_at_weight"
"""Metric: how many more of the validation lines are read right, at the weight of the bundle."""
LIKELY_SCORE_GAIN = "text_model_likely_score_gain"
"""Metric: the lower bound, at `CONFIDENCE`, where lines right but for their spaces count half."""


@dataclass(frozen=True)
class ReadLine:
    """A labelled line and what the net gave for it.

    Attributes:
        text: What it reads.
        group: The document it belongs to; empty: none.
        probabilities: (T, C).
    """

    text: str
    group: str
    probabilities: NDArray[np.float32]


@dataclass(frozen=True)
class TextGain:
    """What a text model changes.

    Attributes:
        model: The model with the weight that reads the most lines right, with and without spaces,
            of those at which no fewer are right exactly.
        accuracy: Share of lines read right without it.
        change: Change of that share, with its 95 % interval. Every line is read at a weight that
            was chosen on other documents, so the choice flatters nothing.
        score_change: The same where a line that is right but for its spaces counts half: as label
            files are careless with spaces, this says sooner whether a text model helps. With its
            interval at `CONFIDENCE`.
        change_at_weight: Change of the share at the weight of the model, which these lines chose.
        changed: The lines that are read otherwise with it.
    """

    model: TextModel
    accuracy: float
    change: Interval
    score_change: Interval
    change_at_weight: float
    changed: tuple[int, ...]

    @property
    def pays(self) -> bool:
        """Whether it is likely to help."""
        return not self.reason

    @property
    def reason(self) -> str:
        """Why it is left out; empty: it is not."""
        return find_reason(self.metrics)

    @property
    def is_bounded(self) -> bool:
        """Whether the changes have intervals, as the lines are of several documents."""
        return math.isfinite(self.change.lower)

    @property
    def metrics(self) -> dict[str, float]:
        """What a manifest says of it; bounds that are not known are left out."""
        change = self.change
        gain = dict(zip(TEXT_MODEL_GAIN, (change.value, change.lower, change.upper), strict=True))
        likely = {LIKELY_SCORE_GAIN: self.score_change.lower}
        known = {name: value for name, value in (gain | likely).items() if math.isfinite(value)}
        return known | {GAIN_AT_WEIGHT: self.change_at_weight}


def find_reason(metrics: Mapping[str, float]) -> str:
    """Return why a text model is left out, as part of a sentence; empty: it is likely to help.

    Args:
        metrics: `TextGain.metrics`, alone or among others; earlier bundles have the first three.
    """
    gain, lower, _ = (metrics.get(name) for name in TEXT_MODEL_GAIN)
    if gain is None or lower is None or lower <= -1:  # which earlier bundles have instead
        return "the validation lines are of one document, which cannot tell whether it helps"
    if gain < 0:
        return "fewer validation lines are read exactly right with it"
    if metrics.get(GAIN_AT_WEIGHT, 0.0) < 0:
        return "every weight reads fewer validation lines exactly right"
    if LIKELY_SCORE_GAIN not in metrics:
        return "it does not help"
    if metrics[LIKELY_SCORE_GAIN] <= 0:
        return f"it helps with a probability of less than about {(1 + CONFIDENCE) / 2:.0%}"
    return ""


def measure_text_gain(
    model: TextModel, lines: Iterable[ReadLine], charset: Charset, *, seed: int
) -> TextGain:
    """Read validation lines greedily and with a text model at each weight.

    Args:
        model: The text model; its weight is looked for.
        lines: At least one.
        charset: The recogniser's.
        seed: Of the bootstrap.
    """
    greedy, counted = Decoder(charset), Decoder(charset, model)
    decoders = [counted.weighing(weight) for weight in WEIGHTS]
    plain, found, groups, references = [], [], [], []
    for line in lines:
        plain.append(greedy.read(line.probabilities))
        found.append([decoder.read(line.probabilities) for decoder in decoders])
        groups.append(line.group)
        references.append(line.text)
    return _compare(model, plain, found, groups, references, seed=seed)


def _compare(
    model: TextModel,
    plain: Sequence[str],
    found: Sequence[Sequence[str]],
    groups: Sequence[str],
    references: Sequence[str],
    *,
    seed: int,
) -> TextGain:
    before, before_score = (marks[:, 0] for marks in _mark([[text] for text in plain], references))
    right, score = _mark(found, references)
    codes = group_codes(groups)

    def choose(chosen_on: NDArray[np.bool_]) -> int:
        fits = right[chosen_on].sum(axis=0) >= before[chosen_on].sum()
        scores = score[chosen_on].sum(axis=0)
        return max(range(len(WEIGHTS)), key=lambda at: (fits[at], scores[at]))

    held_out = choose_held_out(codes, choose)
    lines = np.arange(len(references))
    change = right[lines, held_out] - before
    score_change = score[lines, held_out] - before_score
    draws = Resampling(codes, RESAMPLES, seed)
    chosen = choose(np.full(len(references), True))
    return TextGain(
        model=replace(model, weight=WEIGHTS[chosen]),
        accuracy=float(before.mean()),
        change=estimate(mean_of(change), draws, fewest=_FEWEST),
        score_change=estimate(mean_of(score_change), draws, confidence=CONFIDENCE, fewest=_FEWEST),
        change_at_weight=float((right[:, chosen] - before).mean()),
        changed=tuple(at for at, texts in enumerate(found) if texts[chosen] != plain[at]),
    )


def _mark(
    texts: Sequence[Sequence[str]], references: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mark texts, (lines, texts): 1.0 for a right one; and the same, but 0.5 without its spaces."""
    rows = list(zip(texts, references, strict=True))
    right = np.array([[float(text == reference) for text in row] for row, reference in rows])
    loosely = np.array(
        [
            [float(_without_spaces(text) == _without_spaces(reference)) for text in row]
            for row, reference in rows
        ]
    )
    return right, (right + loosely) / 2


def _without_spaces(text: str) -> str:
    return text.replace(" ", "")
