"""The short form of the report of a pipeline."""

from collections.abc import Sequence

from ocr.evaluation.pages.report import EvaluatedPage, PagesReport
from ocr.gate.judge import Decision
from ocr.report.markdown import WORST, escape, list_latency, render_markdown, table
from ocr.report.pages.gallery import choose_pages
from ocr.report.pages.losses import LossRow
from ocr.report.pages.metrics import METRICS

_LOSSES = ("why", "labelled", "found", "end-to-end Hmean without")
_HEAD = ("page", "lines", "read", "misread", "missed", "false", "read by the opponent")


def render_pages_markdown(
    report: PagesReport, decision: Decision, *, title: str, losses: Sequence[LossRow]
) -> str:
    """Render decision, metrics, rules and the worst pages.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        title: Heading, such as the pipeline and its version.
        losses: Why lines are not read.
    """
    return render_markdown(
        report,
        decision,
        title=title,
        unit="pages",
        metrics={name: metric.title for name, metric in METRICS.items()},
        facts=[
            list_latency(decision),
            ["Test pages", f"{report.candidate.metrics.pages:,}", ""],
        ],
        worst=[
            *_list_losses(losses),
            "## Worst pages",
            table(_HEAD, map(_row, choose_pages(report, most=WORST))),
        ],
    )


def _list_losses(losses: Sequence[LossRow]) -> list[str]:
    rows = [row for row in losses if row.candidate.regions or row.candidate.lines]
    return ["## What is lost", table(_LOSSES, map(_show_loss, rows))] if rows else []


def _show_loss(row: LossRow) -> list[str]:
    lost = row.candidate
    return [
        f"{row.title}: {row.note}",
        f"{lost.regions:,}",
        f"{lost.lines:,}",
        f"{lost.hmean_without:.1%}",
    ]


def _row(page: EvaluatedPage) -> list[str]:
    counts = page.candidate.counts
    return [
        escape(page.image or page.id[:12]),
        str(counts.texts),
        str(counts.read),
        str(counts.compared - counts.read),
        str(counts.texts - counts.compared),
        str(len(page.candidate.invented)),
        str(page.opponent.counts.read) if page.opponent else "–",
    ]
