"""The report's short form, for a Prefect artifact."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import cv2

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.lines.report import EvaluatedLine, LinesReport
from ocr.gate import Decision
from ocr.image.pixels import Image
from ocr.report.lines.gallery import choose_lines, encode

METRICS = {
    "accuracy": "Accuracy",
    "accuracy_without_first": "without the first character",
    "ned": "1-NED",
    "cer": "CER",
}
_SIGNS = {"promote": "✅", "hold": "⏸️", "block": "⛔"}
_THUMBNAIL_HEIGHT_PX = 28


def render_lines_markdown(
    report: LinesReport,
    decision: Decision,
    *,
    title: str,
    images: Mapping[str, Image] | None = None,
    errors: int = 5,
) -> str:
    """Render decision, metrics, rules and the worst errors.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        title: Heading, such as the model and its version.
        images: Image (H, W, 3) BGR by sample id; shown as thumbnails.
        errors: Misread lines to show.
    """
    blocks = [
        title_of(decision, title),
        *[escape(reason) for reason in decision.reasons],
        *promise(decision, unit="lines"),
        table(["metric", "candidate", "opponent"], _metric_rows(report)),
        "## Rules",
        table(["rule", "found", "required", ""], list_checks(decision)),
    ]
    rows = list(islice(_error_rows(report, images or {}), errors))
    if rows:
        blocks += [
            "## Worst errors",
            table(["image", "label", "candidate", "opponent"], rows),
        ]
    return "\n\n".join(blocks) + "\n"


def title_of(decision: Decision, title: str) -> str:
    """Return the heading: the verdict and what it is about."""
    return f"# {_SIGNS[decision.verdict]} {decision.verdict.capitalize()}: {escape(title)}"


def escape(text: str) -> str:
    """Keep a text from being read as Markdown or HTML, also within a table."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]|<>&~$])", lambda m: f"&#{ord(m[1])};", flat)


def promise(decision: Decision, *, unit: str) -> list[str]:
    """Say how many samples would decide, if that is known."""
    if not decision.samples_to_decide:
        return []
    count = f"{decision.samples_to_decide:,}"
    return [f"If the change stays as observed, about **{count}** test {unit} would decide."]


def _metric_rows(report: LinesReport) -> Iterator[list[str]]:
    ours = report.candidate.intervals
    theirs = report.opponent.intervals if report.opponent else {}
    for name, title in METRICS.items():
        yield [title, interval_cell(ours[name]), interval_cell(theirs[name]) if theirs else "–"]
    latencies = [f"{m.latency.single_ms:.1f} ms" for m in (report.candidate, report.opponent) if m]
    yield ["Latency", *latencies, *["–"] * (2 - len(latencies))]
    yield ["Model", *[escape(m.name) if m else "–" for m in (report.candidate, report.opponent)]]
    yield ["Test lines", f"{report.candidate.metrics.n:,}", ""]


def list_checks(decision: Decision) -> Iterator[list[str]]:
    """Return the rows of the table of rules."""
    for check in decision.checks:
        found, required = escape(check.found), escape(check.required)
        yield [check.rule, found, required, f"{_SIGNS[check.verdict]}"]


def _error_rows(report: LinesReport, images: Mapping[str, Image]) -> Iterator[list[str]]:
    chosen = choose_lines(report, most=10)
    for line in [*chosen["lost"], *chosen["shared"]]:
        yield [_thumbnail(line, images), *map(escape, _texts(line))]


def _texts(line: EvaluatedLine) -> list[str]:
    read = line.opponent.text if line.opponent else "–"
    return [line.text, line.candidate.text or "∅", read or "∅"]


def _thumbnail(line: EvaluatedLine, images: Mapping[str, Image]) -> str:
    image = images.get(line.id)
    if image is None:
        return ""
    height_px, width_px = image.shape[:2]
    scale = min(1.0, _THUMBNAIL_HEIGHT_PX / height_px)
    size = (max(1, round(width_px * scale)), max(1, round(height_px * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(image.dtype)
    return f"![]({encode(small)})"


def interval_cell(value: Interval) -> str:
    """Show an estimate with its bounds."""
    return f"**{value.value:.1%}** ({value.lower:.1%} – {value.upper:.1%})"


def table(head: Sequence[str], rows: Iterator[list[str]] | list[list[str]]) -> str:
    """Write a table."""
    lines = [list(head), ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
