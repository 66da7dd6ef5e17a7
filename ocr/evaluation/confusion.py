"""Which characters are read as which others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

MOST = 40


@dataclass(frozen=True)
class Confusion:
    """One kind of misreading; "" as expected is an invented character, as read a missed one."""

    expected: str
    read: str
    count: int


def count_confusions(predictions: Sequence[str], references: Sequence[str]) -> list[Confusion]:
    """Return the most frequent misreadings, most frequent first, ties by character."""
    counts: Counter[tuple[str, str]] = Counter()
    for prediction, reference in zip(predictions, references, strict=True):
        counts.update(align(prediction, reference))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Confusion(expected=pair[0], read=pair[1], count=count) for pair, count in ranked[:MOST]]


def align(prediction: str, reference: str) -> Iterator[tuple[str, str]]:
    """Yield (expected, read) for every edit of a shortest alignment."""
    for edit in Levenshtein.editops(reference, prediction):
        expected = "" if edit.tag == "insert" else reference[edit.src_pos]
        read = "" if edit.tag == "delete" else prediction[edit.dest_pos]
        yield expected, read
