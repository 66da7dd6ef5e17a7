"""The short form of the report of a recogniser."""

from ocr.evaluation.lines.report import EvaluatedLine, LinesReport
from ocr.gate.judge import Decision
from ocr.report.lines.gallery import choose_lines
from ocr.report.lines.metrics import METRICS
from ocr.report.markdown import WORST, escape, list_latency, render_markdown, table

_SHOWN = ("accuracy", "accuracy_without_first", "ned", "cer")


def render_lines_markdown(report: LinesReport, decision: Decision, *, title: str) -> str:
    """Render decision, metrics, rules and the worst errors.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        title: Heading, such as the model and its version.
    """
    chosen = choose_lines(report, most=2 * WORST)
    worst = [*chosen["lost"], *chosen["shared"]][:WORST]
    rows = table(["label", "candidate", "opponent"], map(_texts, worst))
    return render_markdown(
        report,
        decision,
        title=title,
        unit="lines",
        metrics={name: METRICS[name].title for name in _SHOWN},
        facts=[
            list_latency(decision),
            ["Test lines", f"{report.candidate.metrics.n:,}", ""],
        ],
        worst=["## Worst errors", rows] if worst else [],
    )


def _texts(line: EvaluatedLine) -> list[str]:
    theirs = line.opponent.text if line.opponent else "–"
    return [escape(text or "∅") for text in (line.text, line.candidate.text, theirs)]
