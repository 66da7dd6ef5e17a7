"""What is told: one short message that reads well as plain text."""

from dataclasses import dataclass
from typing import Final

from configs.people.notifications import EventKind
from ocr.report.summary import Summary

TITLES: Final[dict[EventKind, str]] = {
    "failure": "Failed",
    "crash": "Crashed",
    "refusal": "Refused",
    "hold": "Held",
    "approval-needed": "Waits for approval",
    "rejection": "Not approved",
    "promotion": "Promoted",
    "rollback": "Rolled back",
    "drift": "Drift",
    "new-data": "New data",
}
MOST = 400


@dataclass(frozen=True)
class Notice:
    """One thing that happened.

    Attributes:
        kind: What.
        model: NAME or NAME:VERSION that it concerns.
        id: Names this very event: it is told once.
        why: The reason, or what went wrong; ``who``: the person behind it, empty for none.
        summary: The numbers that decided.
        link: Where to read more.
    """

    kind: EventKind
    model: str
    id: str
    why: str = ""
    who: str = ""
    summary: Summary | None = None
    link: str = ""

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.partition(":")[0]

    @property
    def title(self) -> str:
        """The verdict and the model."""
        return f"ocrline: {TITLES[self.kind]}: {_flat(self.model)}"

    @property
    def body(self) -> str:
        """The numbers, why, who, and where to read more, a line each; else the title."""
        lines = [
            *_numbers(self.summary),
            *_line("Why", self.why),
            *_line("Who", self.who),
            *_line("More", self.link),
        ]
        return "\n".join(lines) or self.title  # apprise sends nothing that has no body


def _numbers(summary: Summary | None) -> list[str]:
    if summary is None:
        return []
    on = f"{summary.metric} {summary.candidate} ({summary.bounds})"
    lines = [f"Candidate: {on} on {summary.n:,} {summary.unit}"]
    if summary.other:
        lines.append(f"{_flat(summary.opponent) or 'Required'}: {summary.other}")
        lines.append(f"Change: {summary.change} ({summary.change_bounds})")
    return lines


def _line(title: str, text: str) -> list[str]:
    said = _flat(text)
    return [f"{title}: {said}"] if said else []


def _flat(text: str) -> str:
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= MOST else f"{flat[:MOST]}…"
