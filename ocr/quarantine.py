"""Rejected rows, each with one reason of a closed list."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from ocr.errors import BadData

Reason = Literal[
    "malformed_row",
    "tab_in_text",
    "outside_root",
    "missing_image",
    "unreadable_image",
    "truncated_image",
    "decompression_bomb",
    "too_small",
    "empty_text",
    "text_too_long",
    "control_character",
    "unknown_character",
    "duplicate",
    "duplicate_with_other_text",
    "same_image_in_two_splits",
    "near_image_in_two_splits",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
EXAMPLES_PER_REASON = 3


class Fault(NamedTuple):
    """What is wrong with a text or an image, before it is known whose."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True, order=True)
class Rejection:
    """One rejected row.

    Attributes:
        reason: Why.
        where: Label file and line, as "rec_train.txt:12".
        image: Image path as written.
        text: The row's text, or the whole row where it could not be taken apart.
        detail: The value that was refused and what was allowed.
    """

    reason: Reason
    where: str
    image: str
    text: str
    detail: str


@dataclass(frozen=True)
class ReasonCount:
    """One line of the table of reasons."""

    reason: Reason
    count: int
    examples: tuple[Rejection, ...]


class TooManyRejected(BadData):
    """More rows are bad than allowed; `reasons` holds the table."""

    def __init__(self, message: str, reasons: Sequence[ReasonCount]) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)


def count_reasons(rejections: Iterable[Rejection]) -> tuple[ReasonCount, ...]:
    """Count rejections by reason, the most frequent first, each with its first few rows."""
    counts: Counter[Reason] = Counter()
    examples: dict[Reason, list[Rejection]] = {}
    for rejection in rejections:
        counts[rejection.reason] += 1
        if counts[rejection.reason] <= EXAMPLES_PER_REASON:
            examples.setdefault(rejection.reason, []).append(rejection)
    ranked = sorted(counts, key=lambda reason: (-counts[reason], REASONS.index(reason)))
    return tuple(
        ReasonCount(reason=reason, count=counts[reason], examples=tuple(examples[reason]))
        for reason in ranked
    )


def check_bad_share(reasons: Sequence[ReasonCount], *, rows: int, max_bad_share: float) -> None:
    """Stop when more than a set share of the rows was rejected.

    Raises:
        TooManyRejected: With the table of reasons.
    """
    bad = sum(reason.count for reason in reasons)
    if bad <= max_bad_share * rows:
        return
    table = "\n".join(
        f"  {reason.count:>7}  {reason.reason}, e.g. {reason.examples[0].where}: "
        f"{reason.examples[0].detail}"
        for reason in reasons
    )
    raise TooManyRejected(
        f"{bad} of {rows} rows are bad ({bad / rows:.1%}), "
        f"limits.max_bad_share allows {max_bad_share:.1%}:\n{table}",
        reasons,
    )
