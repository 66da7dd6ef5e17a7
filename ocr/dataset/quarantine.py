"""Rejected rows, each with one reason of a closed list."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, get_args

from ocr.errors import BadData
from ocr.image.pixels import ImageFault

Reason = Literal[
    "malformed_row",
    "tab_in_text",
    "unknown_split",
    ImageFault,
    "too_small",
    "empty_text",
    "illegible",
    "text_too_long",
    "control_character",
    "unknown_character",
    "duplicate",
    "duplicate_with_other_text",
    "same_image_in_two_splits",
    "near_image_in_two_splits",
    "group_in_two_splits",
    "unchecked",
    "unconfirmed_page",
    "labels_of_other_size",
    "too_many_regions",
    "malformed_region",
    "empty_polygon",
    "degenerate",
    "self_crossing",
    "outside_image",
    "duplicate_region",
    "missing_text",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
_REGION_REASONS: frozenset[Reason] = frozenset(
    [
        "malformed_region",
        "empty_polygon",
        "degenerate",
        "self_crossing",
        "outside_image",
        "duplicate_region",
        "missing_text",
        "control_character",
    ]
)
"""What is wrong with one region of a page that stays."""
NO_ROWS: frozenset[Reason] = frozenset(["unchecked", "unconfirmed_page"])
"""Of what nobody has checked: however many, they hide no bad rows."""
TOLD: frozenset[Reason] = NO_ROWS | {"illegible", "missing_text"}
"""No faults: somebody could not read a text, did not write it down, or has not checked it yet."""
EXAMPLES_PER_REASON = 3
_MOST_SHOWN = 300


class Fault(NamedTuple):
    """What is wrong with a text or an image, before it is known whose."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True, order=True)
class Rejection:
    """One rejected row.

    Attributes:
        reason: Why it was rejected.
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

    def describe(self) -> str:
        """Say where it stands, what it is and why it was rejected, all of it cut where it is long.

        The list of all rejected rows has them whole.
        """
        parts = self.where, self.image, repr(shorten(self.text)), self.detail
        return "{} {} {}: {}".format(*map(shorten, parts))

    def of_unchecked(self) -> "Rejection":
        """The same of a row that nobody checked: no fault of anybody's labels."""
        return replace(self, reason="unchecked", detail=f"{self.reason}: {self.detail}")


@dataclass(frozen=True)
class ReasonCount:
    """One line of the table of reasons."""

    reason: Reason
    count: int
    examples: tuple[Rejection, ...]


class TooManyRejected(BadData):
    """More rows are bad than allowed.

    Attributes:
        reasons: The table of reasons.
        rejections: All rejected rows, where it is raised before they are written.
    """

    def __init__(
        self,
        message: str,
        reasons: Sequence[ReasonCount],
        rejections: Sequence[Rejection] = (),
    ) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)
        self.rejections = rejections


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


def reasons_of_regions(counts: Mapping[str, int]) -> frozenset[Reason]:
    """The reasons that are about a region, by the counts of a manifest: lines have none."""
    return _REGION_REASONS if "regions" in counts else frozenset()


def check_shares(
    reasons: Sequence[ReasonCount], counts: Mapping[str, int], *, max_bad_share: float
) -> None:
    """Stop when more than a set share of the rows, or of the regions on pages, is bad.

    Args:
        reasons: The table of reasons.
        counts: The counts of a manifest.
        max_bad_share: The share allowed.

    Raises:
        TooManyRejected: With the table of reasons.
    """
    region_reasons = reasons_of_regions(counts)
    of_rows = [reason for reason in reasons if reason.reason not in region_reasons]
    rows = counts["rows"] - counts.get("unchecked", 0)
    check_bad_share(of_rows, rows=rows, max_bad_share=max_bad_share)
    of_regions = [reason for reason in reasons if reason.reason in region_reasons]
    regions = counts.get("regions", 0)
    check_bad_share(of_regions, rows=regions, max_bad_share=max_bad_share, unit="regions")


def check_bad_share(
    reasons: Sequence[ReasonCount],
    *,
    rows: int,
    max_bad_share: float,
    unit: str = "rows",
    rejections: Sequence[Rejection] = (),
    advice: str = "",
) -> None:
    """Stop when more than a set share of the rows is bad; what is only TOLD is not.

    Args:
        reasons: The table of reasons.
        rows: How many there are.
        max_bad_share: The share allowed.
        unit: What they are.
        rejections: All of them, for the error.
        advice: What to do where most are duplicates; empty: nothing is known.

    Raises:
        TooManyRejected: With the table of reasons, and the rejections that were given.
    """
    faults = [reason for reason in reasons if reason.reason not in TOLD]
    bad = sum(reason.count for reason in faults)
    rows -= sum(reason.count for reason in reasons if reason.reason in NO_ROWS)
    if bad <= max_bad_share * rows:
        return
    copies = sum(reason.count for reason in faults if reason.reason == "duplicate")
    ending = f"\n{advice}" if advice and 2 * copies > bad else ""
    raise TooManyRejected(
        f"{bad} of {rows} {unit} are bad ({bad / rows:.1%}), "
        f"limits.max_bad_share allows {max_bad_share:.1%}:\n{list_reasons(faults)}{ending}",
        reasons,
        rejections,
    )


def shorten(text: str) -> str:
    """Cut what a file says where a person is to read it in a line."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def list_reasons(reasons: Iterable[ReasonCount]) -> str:
    """List reasons for an error, a line each, with the first row of each."""
    return "\n".join(
        f"  {reason.count:>7}  {reason.reason}, e.g. {shorten(reason.examples[0].where)}: "
        f"{shorten(reason.examples[0].detail)}"
        for reason in reasons
    )


def refuse_unreadable(labels: Path, rejections: Sequence[Rejection], *, root: Path) -> NoReturn:
    """Refuse a label file of which nothing can be read, saying why with its first row.

    Args:
        labels: The label file.
        rejections: Its rows.
        root: What its images are named relative to.

    Raises:
        BadData: Always.
    """
    first = next(iter(rejections), None)
    why = f", e.g. {first.where} {first.reason}: {shorten(first.detail)}" if first else ""
    place = f" in {root}" if first and first.reason == "missing_image" else ""
    raise BadData(f"{labels} has no row that can be read{why or ': it is empty'}{place}")
