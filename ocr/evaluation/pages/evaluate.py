"""Measures readers of pages, each alone, and puts two beside each other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ocr.dataset.pages.snapshot import PageSample
from ocr.evaluation.bootstrap import (
    Interval,
    Resampling,
    estimate_possible,
    group_codes,
    wilson,
)
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import count_confusions
from ocr.evaluation.elsewhere import Readings
from ocr.evaluation.pages.comparison import compare_pages, compare_pages_with_number
from ocr.evaluation.pages.counts import without_case
from ocr.evaluation.pages.metrics import sum_pages, summarise_pages
from ocr.evaluation.pages.reading import read_pages
from ocr.evaluation.pages.report import (
    EvaluatedPage,
    PageOutcome,
    PagesModelReport,
    PagesReport,
)
from ocr.evaluation.pages.slices import measure_page_slices
from ocr.evaluation.ratio import Ratio, Values
from ocr.evaluation.report import set_beside
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import ReadsPages


def evaluate_pages(
    reader: ReadsPages | Readings[tuple[PageLine, ...]],
    samples: Iterable[tuple[PageSample, Image]],
    *,
    resamples: int,
    seed: int,
) -> PagesReport:
    """Read every page and measure what can be said of one reader alone.

    Pages are streamed.

    Args:
        reader: Who is measured, or what it read elsewhere: the candidate of the report, which
            has no opponent.
        samples: The test pages with their images; images are (H, W, 3) BGR.
        resamples: Bootstrap resamples, with their ``seed``.
        seed: Of the bootstrap.

    Raises:
        BadData: There are no test pages.
    """
    pages = list(read_pages(reader, samples))
    outcomes = [page.candidate for page in pages]
    draws = _draw(pages, resamples, seed)
    read = _mark_read(pages, outcomes)
    return PagesReport(
        candidate=_report_model(reader.name, pages, outcomes, draws),
        opponent=None,
        comparison=None,
        detection=None,
        slices=measure_page_slices(pages, draws, candidate=read, opponent=None),
        pages=pages,
        resamples=resamples,
        seed=seed,
    )


def pair_pages(
    ours: PagesReport, theirs: PagesReport | None, *, required_hmean: float | None = None
) -> PagesReport:
    """Measure all the report and the gate need of two that read the same pages, each alone.

    Args:
        ours: What the candidate read.
        theirs: What its opponent read; None: it has none.
        required_hmean: An end-to-end Hmean to compare with where there is no opponent.

    Raises:
        BadData: They read different pages.
    """
    pages = set_beside(ours.pages, theirs.pages) if theirs else ours.pages
    we = [page.candidate for page in pages]
    they = [page.candidate for page in theirs.pages] if theirs else []
    we_read, they_read = _mark_read(pages, we), _mark_read(pages, they) if they else None
    draws = _draw(pages, ours.resamples, ours.seed)
    return replace(
        ours,
        opponent=theirs.candidate if theirs else None,
        comparison=_compare_reading(
            we, they, draws, lines=(we_read, they_read), required=required_hmean
        ),
        detection=_compare_detection(we, they, draws),
        slices=measure_page_slices(pages, draws, candidate=we_read, opponent=they_read),
        pages=pages,
    )


def _draw(pages: Sequence[EvaluatedPage], resamples: int, seed: int) -> Resampling:
    return Resampling(group_codes([page.group for page in pages]), resamples, seed)


def _report_model(
    name: str,
    pages: Sequence[EvaluatedPage],
    outcomes: Sequence[PageOutcome],
    draws: Resampling,
) -> PagesModelReport:
    counts = [outcome.counts for outcome in outcomes]
    compared = [
        (without_case(read), without_case(text))
        for page, outcome in zip(pages, outcomes, strict=True)
        for read, text in page.compared(outcome)
    ]
    metrics = summarise_pages(counts)
    return PagesModelReport(
        name=name,
        metrics=metrics,
        intervals={name: _estimate(name, r, draws) for name, r in sum_pages(counts).items()},
        confusions=count_confusions([read for read, _ in compared], [text for _, text in compared]),
    )


def _estimate(name: str, share: Ratio, draws: Resampling) -> Interval:
    """Return a share with its interval; at least Wilson's, where pages may all be alike."""
    found, trials = estimate_possible(share, draws), float(share.denominator.sum())
    if "hmean" in name:  # of half of the regions and boxes together
        trials /= 2
    if not trials:  # of nothing, nothing is known
        return Interval(found.value, lower=0.0, upper=1.0)
    return found.widened(wilson(found.value * trials, trials))


def _compare_reading(
    ours: Sequence[PageOutcome],
    theirs: Sequence[PageOutcome],
    draws: Resampling,
    *,
    lines: tuple[Values, Values | None],
    required: float | None,
) -> Comparison | None:
    hmean, (we_read, they_read) = _sum(ours, "e2e_hmean"), lines
    if they_read is not None:
        return compare_pages(hmean, _sum(theirs, "e2e_hmean"), draws, lines=(we_read, they_read))
    return None if required is None else compare_pages_with_number(hmean, required, draws)


def _compare_detection(
    ours: Sequence[PageOutcome], theirs: Sequence[PageOutcome], draws: Resampling
) -> Comparison | None:
    if not theirs:
        return None
    regions = (_mark_found(ours), _mark_found(theirs))
    return compare_pages(_sum(ours, "hmean"), _sum(theirs, "hmean"), draws, lines=regions)


def _sum(outcomes: Sequence[PageOutcome], metric: str) -> Ratio:
    return sum_pages([outcome.counts for outcome in outcomes])[metric]


def _mark_read(pages: Sequence[EvaluatedPage], outcomes: Sequence[PageOutcome]) -> Values:
    """Return 1.0 for every line to be read that was, 0.0 for the others; (lines,)."""
    marks = []
    for page, outcome in zip(pages, outcomes, strict=True):
        read = page.read(outcome)
        marks += [float(truth in read) for truth in page.texts()]
    return np.array(marks)


def _mark_found(outcomes: Sequence[PageOutcome]) -> Values:
    """Return 1.0 for every region to be found that was, 0.0 for the others; (regions,)."""
    marks = []
    for outcome in outcomes:
        found = {truth for truth, _ in outcome.pairs}
        marks += [float(truth in found) for truth in sorted(found | set(outcome.missed))]
    return np.array(marks)
