"""Evaluations of pages to be reported."""

from collections.abc import Callable

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.report import PagesReport
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from ocr.report.pages.losses import tabulate_losses
from ocr.report.pages.markdown import render_pages_markdown
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    box,
    evaluate_scripted,
    label_pages,
    read_receipt,
    receipt,
)
from tests.ocr.gate.scenes import judge_pages
from tests.ocr.report.page import ATTACK

PAGES = 12


def evaluate(
    ours: Callable[[int], PageReading] = lambda number: read_receipt(number, wrong=number % 2),
    *,
    paired: bool = True,
) -> PagesReport:
    def theirs(number: int) -> PageReading:
        return read_receipt(number, wrong=3, missed=1, invented=1)

    return evaluate_scripted(
        candidate=ScriptedReader("receipts:new", ours),
        opponent=ScriptedReader("receipts:old", theirs) if paired else None,
        samples=label_pages([receipt(number) for number in range(PAGES)]),
        resamples=200,
    )


def evaluate_alike() -> PagesReport:
    """Compare two readers that read equally well, but not the same."""
    return evaluate_scripted(
        candidate=ScriptedReader("a", lambda number: read_receipt(number, wrong=number % 2)),
        opponent=ScriptedReader("b", lambda number: read_receipt(number, wrong=(number + 1) % 2)),
        samples=label_pages([receipt(number) for number in range(PAGES)]),
    )


def hostile_report() -> PagesReport:
    regions = [Region(box(10, 20), ATTACK), Region(box(10, 60), ATTACK)]
    line = PageLine(polygon=box(10, 20), text=ATTACK + "!", confidence=0.5)
    return evaluate_scripted(
        candidate=ScriptedReader(ATTACK, lambda number: PageReading((line,), 0, {})),
        opponent=None,
        samples=label_pages([regions], images=[ATTACK]),
        resamples=10,
    )


def markdown_of(report: PagesReport, *, title: str) -> str:
    """Render the short form of an evaluation, as judged by the usual rules."""
    losses = tabulate_losses(report)
    return render_pages_markdown(report, judge_pages(report), title=title, losses=losses)
