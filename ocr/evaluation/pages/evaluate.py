"""Candidate and opponent on the same pages, in one pass."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ocr.errors import BadData
from ocr.evaluation.bootstrap import Codes, Interval, estimate, group_codes
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import count_confusions
from ocr.evaluation.metrics import Ratio
from ocr.evaluation.pages.comparison import Found, compare_pages, compare_pages_with_number
from ocr.evaluation.pages.counts import without_case
from ocr.evaluation.pages.metrics import sum_pages, summarise_pages
from ocr.evaluation.pages.reading import LabelledPage, read_pages
from ocr.evaluation.pages.report import (
    EvaluatedPage,
    PageLatency,
    PageOutcome,
    PagesModelReport,
    PagesReport,
)
from ocr.evaluation.pages.slices import measure_page_slices
from ocr.image.pixels import Image
from ocr.reading.page_reader import ReadsPages


def evaluate_pages(
    *,
    candidate: ReadsPages,
    opponent: ReadsPages | None,
    samples: Iterable[tuple[LabelledPage, Image]],
    required_hmean: float | None = None,
    resamples: int = 2000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
) -> PagesReport:
    """Read every page with both readers and measure all the report and the gate need.

    The two take turns, each first on every other page, after a warm-up outside the clock. Pages
    are streamed.

    Args:
        candidate: The reader under test.
        opponent: Who reads beside it; None: nobody.
        samples: The test pages with their images; images are (H, W, 3) BGR.
        required_hmean: An end-to-end Hmean to compare with where there is no opponent.
        resamples: Bootstrap resamples, with their ``seed``.
        seed: Of the bootstrap.
        on_progress: Told the number of pages read so far.

    Raises:
        BadData: There are no test pages.
    """
    readers = [candidate] if opponent is None else [candidate, opponent]
    pages = list(read_pages(readers, samples, on_progress=on_progress))
    if not pages:
        raise BadData("No pages to measure: the test split is empty")
    draws = _Draws(group_codes([page.group for page in pages]), resamples=resamples, seed=seed)
    ours = [page.candidate for page in pages]
    theirs = [page.opponent for page in pages if page.opponent is not None]
    lines = (_mark_read(pages, ours), _mark_read(pages, theirs) if theirs else None)
    return PagesReport(
        candidate=_report_model(candidate, pages, ours, draws),
        opponent=_report_model(opponent, pages, theirs, draws) if opponent else None,
        comparison=_compare_reading(ours, theirs, lines, required_hmean, draws),
        detection=_compare_detection(ours, theirs, draws),
        slices=measure_page_slices(
            pages,
            lines=lines,
            codes=draws.codes,
            resamples=resamples,
            seed=seed,
        ),
        pages=pages,
        resamples=resamples,
        seed=seed,
    )


@dataclass(frozen=True)
class _Draws:
    codes: Codes
    resamples: int
    seed: int

    def interval(self, ratio: Ratio) -> Interval:
        found = estimate(ratio, codes=self.codes, resamples=self.resamples, seed=self.seed)
        return Interval(found.value, lower=max(found.lower, 0.0), upper=min(found.upper, 1.0))


def _report_model(
    reader: ReadsPages,
    pages: Sequence[EvaluatedPage],
    outcomes: Sequence[PageOutcome],
    draws: _Draws,
) -> PagesModelReport:
    counts = [outcome.counts for outcome in outcomes]
    both = zip(pages, outcomes, strict=True)
    compared = [
        (without_case(read), without_case(text))
        for page, outcome in both
        for read, text in page.compared(outcome)
    ]
    seconds = [outcome.seconds for outcome in outcomes]
    return PagesModelReport(
        name=reader.name,
        metrics=summarise_pages(counts),
        intervals={name: draws.interval(ratio) for name, ratio in sum_pages(counts).items()},
        confusions=count_confusions([read for read, _ in compared], [text for _, text in compared]),
        latency=PageLatency(
            median_s=float(np.median(seconds)), p95_s=float(np.quantile(seconds, 0.95))
        ),
    )


def _compare_reading(
    ours: Sequence[PageOutcome],
    theirs: Sequence[PageOutcome],
    lines: tuple[Found, Found | None],
    number: float | None,
    draws: _Draws,
) -> Comparison | None:
    candidate = _sum(ours, "e2e_hmean")
    our_lines, their_lines = lines
    if their_lines is not None:
        return compare_pages(
            candidate,
            _sum(theirs, "e2e_hmean"),
            lines=(our_lines, their_lines),
            codes=draws.codes,
            resamples=draws.resamples,
            seed=draws.seed,
        )
    if number is None:
        return None
    return compare_pages_with_number(
        candidate, number, codes=draws.codes, resamples=draws.resamples, seed=draws.seed
    )


def _compare_detection(
    ours: Sequence[PageOutcome],
    theirs: Sequence[PageOutcome],
    draws: _Draws,
) -> Comparison | None:
    if not theirs:
        return None
    return compare_pages(
        _sum(ours, "hmean"),
        _sum(theirs, "hmean"),
        lines=(_mark_found(ours), _mark_found(theirs)),
        codes=draws.codes,
        resamples=draws.resamples,
        seed=draws.seed,
    )


def _sum(outcomes: Sequence[PageOutcome], metric: str) -> Ratio:
    return sum_pages([outcome.counts for outcome in outcomes])[metric]


def _mark_read(pages: Sequence[EvaluatedPage], outcomes: Sequence[PageOutcome]) -> Found:
    """Say of every line that must be read whether it is, (lines,)."""
    marks = []
    for page, outcome in zip(pages, outcomes, strict=True):
        read = page.read(outcome)
        marks += [truth in read for truth in page.texts()]
    return np.array(marks, dtype=bool)


def _mark_found(outcomes: Sequence[PageOutcome]) -> Found:
    """Say of every region that must be found whether it is, (regions,)."""
    marks = []
    for outcome in outcomes:
        found = {truth for truth, _ in outcome.pairs}
        marks += [truth in found for truth in sorted(found | set(outcome.missed))]
    return np.array(marks, dtype=bool)
