"""What the HTML of every report shows, and the templates that show it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from ocr.evaluation.report import EvaluationReport
from ocr.gate.judge import Decision
from ocr.report.lineage import Lineage, flatten
from ocr.report.tables import (
    Metric,
    list_confusions,
    tabulate_further,
    tabulate_metrics,
    tabulate_slices,
)


def render_html(
    template: str,
    report: EvaluationReport,
    decision: Decision,
    *,
    lineage: Lineage,
    metrics: Mapping[str, Metric],
    **more: Any,
) -> str:
    """Render a template that extends layout.html.jinja.

    Args:
        template: Its path within this folder.
        report: The evaluation.
        decision: The gate's answer to it.
        lineage: What made the candidate.
        metrics: Those to show, by their name.
        more: What only this template shows.
    """
    return _TEMPLATES.get_template(template).render(
        report=report,
        ours=report.candidate,
        theirs=report.opponent,
        change=report.comparison,
        decision=decision,
        lineage=lineage,
        metrics=tabulate_metrics(metrics, report),
        further=tabulate_further(decision.further),
        slices=tabulate_slices(report.slices),
        confusions=list_confusions(report),
        **more,
    )


def render_page(template: str, **shown: Any) -> str:
    """Render a template that stands alone, by its path within this folder."""
    return _TEMPLATES.get_template(template).render(**shown)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _points(change: float) -> str:
    """Return percentage points with their sign."""
    return f"{100 * change:+.1f}".replace("-", "−")


def _visible(text: str) -> str:
    """Show spaces, and say where there is no text at all."""
    return text.replace(" ", "␣") or "∅"


_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(flatten=flatten, percent=_percent, points=_points, visible=_visible)
