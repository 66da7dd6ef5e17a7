"""What the short form of every report shows, for a Prefect artifact."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.report import EvaluationReport
from ocr.gate.judge import Decision
from ocr.gate.words import describe_change

WORST = 5
"""Misread lines, or pages, that a short form lists."""

_SIGNS = {"promote": "✅", "hold": "⏸️", "block": "⛔"}


def render_markdown(
    report: EvaluationReport,
    decision: Decision,
    *,
    title: str,
    unit: str,
    metrics: Mapping[str, str],
    facts: Iterable[Sequence[str]],
    worst: Sequence[str],
) -> str:
    """Render decision, metrics, rules and the worst samples.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        title: Heading, such as the model and its version.
        unit: What a sample is, in the plural.
        metrics: Titles of the metrics to show, by their names.
        facts: More rows of the table of metrics.
        worst: Blocks that show the worst samples.
    """
    models = (report.candidate, report.opponent)
    rows = [
        [title, *(_show(model.intervals[name]) if model else "–" for model in models)]
        for name, title in metrics.items()
    ]
    names = ["Model", *(escape(model.name) if model else "–" for model in models)]
    blocks = [
        f"# {_SIGNS[decision.verdict]} {decision.verdict.capitalize()}: {escape(title)}",
        *map(escape, decision.reasons),
        *(f"**Warning:** {escape(warning)}" for warning in decision.warnings),
        *_promise(decision, unit=unit),
        table(["metric", "candidate", "opponent"], [*rows, *facts, names]),
        "## Rules",
        table(["rule", "found", "required", ""], _list_checks(decision)),
        *_list_further(decision, unit=unit),
        *worst,
    ]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Keep a text from being read as Markdown or HTML, also within a table."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]|<>&~$])", lambda m: f"&#{ord(m[1])};", flat)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def list_latency(decision: Decision) -> list[str]:
    """Return the row of a table with how long candidate and opponent took."""
    times = (decision.latency.candidate, decision.latency.opponent)
    return ["Latency", *(f"{time.median_ms:.1f} ms" if time else "–" for time in times)]


def _promise(decision: Decision, *, unit: str) -> list[str]:
    if not decision.samples_to_decide:
        return []
    count = f"{decision.samples_to_decide:,}"
    return [f"If the change stays as observed, about **{count}** test {unit} would decide."]


def _list_further(decision: Decision, *, unit: str) -> list[str]:
    if not decision.further:
        return []
    rows = [
        [
            escape(each.found.name),
            f"{each.found.n:,}",
            _show(each.found.share),
            _show(each.found.other) if each.found.other else "–",
            describe_change(each.found.comparison) if each.found.comparison else "–",
            _SIGNS[each.verdict],
        ]
        for each in decision.further
    ]
    head = ["set", unit, "candidate", "opponent", "change", ""]
    return ["## Further sets", table(head, rows)]


def _list_checks(decision: Decision) -> list[list[str]]:
    return [
        [escape(check.rule), escape(check.found), escape(check.required), _SIGNS[check.verdict]]
        for check in decision.checks
    ]


def _show(value: Interval) -> str:
    return f"**{value.value:.1%}** ({value.lower:.1%} – {value.upper:.1%})"
