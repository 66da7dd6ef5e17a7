"""A message of each kind, to try out who is told."""

from configs.people.notifications import EventKind
from ocr.report.summary import Summary
from tasks.notifying.notice import Notice

_SUMMARY = Summary(
    metric="accuracy",
    unit="lines",
    n=1000,
    candidate="90.0%",
    bounds="88.0% to 91.7%",
    opponent="example:1f3a",
    other="87.0%",
    change="+3.0 points",
    change_bounds="+1.0 to +5.0",
    fell=(),
    further=(),
    warnings=(),
)
_JUDGED = ("refusal", "hold", "approval-needed", "rejection", "promotion")
_OF_PEOPLE = ("rejection", "promotion", "rollback")


def example(kind: EventKind, *, id_: str) -> Notice:
    """Return a message that says it is none.

    Args:
        kind: Of what.
        id_: Names this very message.
    """
    return Notice(
        kind=kind,
        model="example:9c41",
        id=f"test:{id_}",
        why="This is a test; nothing happened.",
        who="Li Wei" if kind in _OF_PEOPLE else "",
        summary=_SUMMARY if kind in _JUDGED else None,
        link="ocrline notifications test",
    )
