"""A candidate in a few lines: what a person needs who decides now, or hears of a decision."""

from collections.abc import Sequence
from dataclasses import dataclass

from ocr.evaluation.slices import SliceReport
from ocr.gate.evidence import Evidence
from ocr.gate.judge import Decision
from ocr.gate.words import describe_change, signed
from ocr.report.markdown import escape, table

MOST_SLICES = 5


@dataclass(frozen=True)
class Summary:
    """The numbers that decided.

    Attributes:
        metric: What decides, in words; ``unit``: what a sample is, in the plural; ``n``: of these.
        candidate: The candidate's metric in words; ``bounds``: its 95 % interval.
        opponent: Whom it met; empty: nobody, or a required number.
        other: The opponent's metric, or what is required; empty: there is nothing to beat.
        change: By how many points the metric changed; ``change_bounds``: its 95 % bounds.
        fell: Parts of the test that lost lines, the most first.
        further: What was found on each further set.
        warnings: What a person should know of the comparison.
    """

    metric: str
    unit: str
    n: int
    candidate: str
    bounds: str
    opponent: str
    other: str
    change: str
    change_bounds: str
    fell: tuple[str, ...]
    further: tuple[str, ...]
    warnings: tuple[str, ...]


def summarise(evidence: Evidence, decision: Decision) -> Summary:
    """Take from what was judged the numbers that decided, without a text or an image of it."""
    change = evidence.comparison
    return Summary(
        metric=evidence.metric,
        unit=evidence.unit,
        n=evidence.n,
        candidate=f"{evidence.share.value:.1%}",
        bounds=f"{evidence.share.lower:.1%} to {evidence.share.upper:.1%}",
        opponent=evidence.opponent,
        other=f"{change.opponent:.1%}" if change else "",
        change=f"{signed(change.change)} points" if change else "",
        change_bounds=f"{signed(change.lower)} to {signed(change.upper)}" if change else "",
        fell=_list_fallen(evidence.slices),
        further=tuple(
            f"{each.found.name}: {each.found.metric} {each.found.share.value:.1%}"
            + (f", {describe_change(each.found.comparison)}" if each.found.comparison else "")
            for each in decision.further
        ),
        warnings=tuple(decision.warnings),
    )


def render_question(
    summary: Summary, *, model: str, verdict: str, reasons: Sequence[str], report: str, until: str
) -> str:
    """Render what a person is asked, in Markdown.

    Args:
        summary: The numbers.
        model: NAME:VERSION of the candidate.
        verdict: The gate's.
        reasons: Its reasons.
        report: Where the whole report is.
        until: When the champion stays for want of an answer.
    """
    opponent = summary.opponent or ("a required number" if summary.other else "nobody yet")
    rows = [
        ["candidate", f"**{summary.candidate}**", summary.bounds],
        ["opponent", summary.other or "–", "–"],
        ["change", summary.change or "–", summary.change_bounds or "–"],
    ]
    head = ["", f"{summary.metric}, {summary.n:,} {summary.unit}", "95% bounds"]
    asked = f"**May {escape(model)} go online?** It met {escape(opponent)}."
    return "\n\n".join(
        [
            f"{asked} The gate says: {verdict}.",
            *map(escape, reasons),
            table(head, rows),
            *_bullets("Parts of the test that fell", summary.fell),
            *_bullets("Further sets", summary.further),
            *(f"**Warning:** {escape(warning)}" for warning in summary.warnings),
            f"Report: {escape(report)}",
            f"Without an answer until {until} the champion stays.",
        ]
    )


def _list_fallen(slices: Sequence[SliceReport]) -> tuple[str, ...]:
    fallen = sorted((s for s in slices if s.lost > s.gained), key=lambda s: s.gained - s.lost)
    return tuple(map(_describe, fallen[:MOST_SLICES]))


def _describe(part: SliceReport) -> str:
    change = part.accuracy.value - (part.opponent_accuracy or 0.0)
    return f"{part.title}: {part.accuracy.value:.1%}, {signed(change)} points on {part.n} lines"


def _bullets(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return ["\n".join([f"{title}:", "", *(f"- {escape(line)}" for line in lines)])]
