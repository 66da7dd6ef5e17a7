"""The short form of the report of a pipeline, for a Prefect artifact."""

from collections.abc import Iterator

from ocr.evaluation.pages.report import PagesReport
from ocr.gate import Decision
from ocr.report.lines.markdown import escape, interval_cell, list_checks, promise, table, title_of
from ocr.report.pages.gallery import choose_pages
from ocr.report.tables import PAGE_METRICS


def render_pages_markdown(
    report: PagesReport, decision: Decision, *, title: str, worst: int = 5
) -> str:
    """Render decision, metrics, rules and the worst pages.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        title: Heading, such as the pipeline and its version.
        worst: Pages to list.
    """
    head = ["page", "lines", "read", "misread", "missed", "false", "read by the opponent"]
    blocks = [
        title_of(decision, title),
        *[escape(reason) for reason in decision.reasons],
        *promise(decision, unit="pages"),
        table(["metric", "candidate", "opponent"], _metric_rows(report)),
        "## Rules",
        table(["rule", "found", "required", ""], list_checks(decision)),
        "## Worst pages",
        table(head, _page_rows(report, worst)),
    ]
    return "\n\n".join(blocks) + "\n"


def _metric_rows(report: PagesReport) -> Iterator[list[str]]:
    models = [report.candidate, report.opponent]
    for name, (title, _) in PAGE_METRICS.items():
        yield [title, *[interval_cell(m.intervals[name]) if m else "–" for m in models]]
    yield ["Seconds per page", *[f"{m.latency.median_s:.3g}" if m else "–" for m in models]]
    yield ["Model", *[escape(m.name) if m else "–" for m in models]]
    yield ["Test pages", f"{report.candidate.metrics.pages:,}", ""]


def _page_rows(report: PagesReport, worst: int) -> Iterator[list[str]]:
    for page in choose_pages(report, most=worst):
        counts = page.candidate.counts
        yield [
            escape(page.image or page.id[:12]),
            str(counts.texts),
            str(counts.read),
            str(counts.compared - counts.read),
            str(len(page.candidate.missed)),
            str(len(page.candidate.invented)),
            str(page.opponent.counts.read) if page.opponent else "–",
        ]
