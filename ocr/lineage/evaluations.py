"""What versions read, and two of them paired where they read the same samples."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ocr.evaluation.lines.evaluate import pair_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.evaluate import pair_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.report import MOST_REPORT_BYTES
from ocr.lineage.decision import name_test_set, read_decisions
from ocr.models.alias import parse_object
from ocr.models.registry import ModelVersion, Registry
from ocr.store.protocol import Store

Report = LinesReport | PagesReport


def read_report(store: Store, evaluation: str) -> Report | None:
    """Read what was read in an evaluation; None: it is not in the store (any more)."""
    key = f"{evaluation}/report.json"
    if not evaluation or not store.exists(key):
        return None
    data, source = store.read_bytes(key, most=MOST_REPORT_BYTES), f"{store.uri}/{key}"
    kind = PagesReport if "pages" in parse_object(data, source=source) else LinesReport
    return kind.from_json(data, source=source)


def find_reports(registry: Registry, model: ModelVersion) -> list[Report]:
    """Return what a version read, as candidate or as opponent, the newest first.

    It is the candidate of all of them.
    """
    found: list[Report] = []
    for key in dict.fromkeys(_evaluations(registry, model)):
        report = read_report(registry.store, key)
        both = (report, _of_opponent(report) if report else None)
        found += [each for each in both if each and each.candidate.name == model.reference]
    return found


def pair_reports(first: Sequence[Report], second: Sequence[Report]) -> Report | None:
    """Put a version beside another where both read the same samples; None: they never did."""
    others = {name_test_set(report): report for report in reversed(second)}
    for ours in first:
        theirs = others.get(name_test_set(ours))
        if isinstance(ours, LinesReport) and isinstance(theirs, LinesReport):
            lines = {line.id: line for line in theirs.lines}
            in_order = [lines[line.id] for line in ours.lines]
            return pair_lines(ours, replace(theirs, lines=in_order))
        if isinstance(ours, PagesReport) and isinstance(theirs, PagesReport):
            pages = {page.id: page for page in theirs.pages}
            return pair_pages(ours, replace(theirs, pages=[pages[page.id] for page in ours.pages]))
    return None


def _of_opponent(report: Report) -> Report | None:
    """Return what the opponent of an evaluation read, as if it had been the candidate."""
    if isinstance(report, LinesReport) and report.opponent:
        lines = [replace(line, candidate=line.opponent) for line in report.lines if line.opponent]
        return replace(report, candidate=report.opponent, opponent=None, lines=lines)
    if isinstance(report, PagesReport) and report.opponent:
        pages = [replace(page, candidate=page.opponent) for page in report.pages if page.opponent]
        return replace(report, candidate=report.opponent, opponent=None, pages=pages)
    return None


def _evaluations(registry: Registry, model: ModelVersion) -> Iterator[str]:
    """Yield the keys of evaluations that a version may be in, the newest first."""
    for decision in reversed(read_decisions(registry.store, model.name)):
        if model.version == decision.version or model.reference == decision.opponent:
            yield decision.evaluation
    for move in reversed(registry.history(model.name)):
        if model.version in (move.version, move.previous) and move.evaluation:
            yield move.evaluation
