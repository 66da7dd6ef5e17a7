"""Equal pictures that are labelled otherwise: what most of them read counts."""

from collections import Counter

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import SampleLabelT_co
from ocr.dataset.duplicates import repeated
from ocr.dataset.quarantine import Rejection


def object_to(text: str, votes: Counter[str]) -> str:
    """Say why the text of one of some equal crops does not count; empty: most of them read it."""
    (winner, most), equal = votes.most_common(1)[0], votes.total()
    is_majority = 2 * most > equal
    if is_majority and text == winner:
        return ""
    says = f"read {winner!r}" if is_majority else f"read {winner!r}, no text has most of them"
    return f"{most} of {equal} equal crops {says}"


def outvote(kept: Accepted[SampleLabelT_co]) -> dict[int, Rejection]:
    """Reject what reads otherwise than most equal images of its split, by number.

    Labels of the test decide nothing that is learnt, nor what is learnt what is tested.
    """
    outvoted: dict[int, Rejection] = {}
    images = kept.candidates.column("image")[kept.positions]
    for start, end in repeated(images):
        some = list(kept.part(slice(start, end)))
        votes: dict[str, Counter[str]] = {}
        for candidate, split in some:
            votes.setdefault(split, Counter())[candidate.row.label.stored] += 1
        for number, (candidate, split) in enumerate(some, start=start):
            if detail := object_to(candidate.row.label.stored, votes[split]):
                outvoted[number] = candidate.row.reject("duplicate_with_other_text", detail)
    return outvoted
