"""The metrics of lines, line by line and summed up."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from ocr.errors import BadData
from ocr.evaluation.ratio import Ratio, Values, mean_of


@dataclass(frozen=True)
class LineMetrics:
    """The summary of one recogniser on one test set; every value but the counts is a share.

    Attributes:
        n: Lines read.
        accuracy: Exact match of the raw strings.
        accuracy_nfc: Exact match after Unicode normalisation form C.
        accuracy_spaceless: Exact match without spaces, PaddleOCR's ``acc``.
        accuracy_without_first: Exact match of all but the first character (of a Chinese plate:
            without the province).
        ned: Mean of 1 − edit distance / longer length, spaces removed: PaddleOCR's
            ``norm_edit_dis``, ICDAR 2019's 1-NED.
        ned_without_first: The same of all but the first character.
        cer: Edits summed over all lines / reference characters (micro average; may exceed 1).
    """

    n: int
    accuracy: float
    accuracy_nfc: float
    accuracy_spaceless: float
    accuracy_without_first: float
    ned: float
    ned_without_first: float
    cer: float


def measure_lines(predictions: Sequence[str], references: Sequence[str]) -> LineMetrics:
    """Return the metrics of the predictions.

    Raises:
        BadData: There is nothing to measure, or the two lengths differ.
    """
    return summarise_lines(score_lines(predictions, references))


def summarise_lines(scores: dict[str, Ratio]) -> LineMetrics:
    """Sum the scores of lines up."""
    n = len(scores["accuracy"].numerator)
    return LineMetrics(n=n, **{name: score.value for name, score in scores.items()})


def score_lines(predictions: Sequence[str], references: Sequence[str]) -> dict[str, Ratio]:
    """Return every metric of :class:`LineMetrics` line by line."""
    if len(predictions) != len(references):
        raise BadData(f"{len(predictions)} predictions for {len(references)} references")
    if not references:
        raise BadData("No lines to measure: the test split is empty")
    pairs = list(zip(predictions, references, strict=True))
    spaceless = [(_without_spaces(p), _without_spaces(r)) for p, r in pairs]
    behind_first = [(p[1:], r[1:]) for p, r in spaceless]
    return {
        "accuracy": _mean(p == r for p, r in pairs),
        "accuracy_nfc": _mean(_nfc(p) == _nfc(r) for p, r in pairs),
        "accuracy_spaceless": _mean(p == r for p, r in spaceless),
        "accuracy_without_first": _mean(p == r for p, r in behind_first),
        "ned": _mean(Levenshtein.normalized_similarity(p, r) for p, r in spaceless),
        "ned_without_first": _mean(
            Levenshtein.normalized_similarity(p, r) for p, r in behind_first
        ),
        "cer": Ratio(
            numerator=_array(Levenshtein.distance(p, r) for p, r in pairs),
            denominator=_array(len(r) for _, r in pairs),
        ),
    }


def _mean(values: Iterable[float]) -> Ratio:
    return mean_of(_array(values))


def _array(values: Iterable[float]) -> Values:
    return np.fromiter(values, dtype=np.float64)


def _without_spaces(text: str) -> str:
    return text.replace(" ", "")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
