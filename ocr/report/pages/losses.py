"""How it is shown why lines are not read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ocr.evaluation.pages.losses import Cause, LossCount, count_losses
from ocr.evaluation.pages.report import PagesReport

TITLES: Final[dict[Cause, tuple[str, str]]] = {
    "ends": ("Other ends", "read as labelled; lines begin or end elsewhere, are joined or parted"),
    "ends and text": ("Other ends, and misread", "neither text nor ends are as labelled"),
    "one character": ("Misread by one character", "a line in its place; case and spaces aside"),
    "text": ("Misread by more", "a line in its place"),
    "missed": ("Missed", "labelled, and no line of its own was found"),
    "invented": ("False", "found, and no label of its own"),
}


@dataclass(frozen=True)
class LossRow:
    """One cause, and what it costs both readers."""

    title: str
    note: str
    candidate: LossCount
    opponent: LossCount | None


def tabulate_losses(report: PagesReport) -> Sequence[LossRow]:
    """Return the rows of the causes that cost the candidate or its opponent anything."""
    ours = count_losses((page, page.candidate) for page in report.pages)
    theirs: Sequence[LossCount | None] = [None] * len(ours)
    if report.opponent:
        theirs = count_losses((page, page.opponent) for page in report.pages if page.opponent)
    return [
        LossRow(*TITLES[our.cause], our, their)
        for our, their in zip(ours, theirs, strict=True)
        if our.regions or our.lines or (their and (their.regions or their.lines))
    ]
