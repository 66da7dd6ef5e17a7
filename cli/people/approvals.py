"""``ocrline approvals``, ``approve`` and ``reject``: what waits for a person, and the answer."""

from typing import Annotated, Literal

import typer
from rich.markup import escape

from cli.options import AsJson, settings_for
from cli.output import ERR, OUT, print_json, print_table

Which = Annotated[
    str, typer.Argument(help="Name of the model, its run or the question, as approvals lists them.")
]
By = Annotated[str, typer.Option("--by", help="Your name; kept in the history.")]
Reason = Annotated[str, typer.Option(help="Why; kept in the history.")]


def approvals(as_json: AsJson = False) -> None:
    """List the candidates that wait for a person."""
    _connect(with_worker=False)
    from tasks.approving.waiting import list_waiting

    every = list_waiting()
    if as_json:
        print_json(every)
        return
    print_table(
        "waiting for a person",
        ["candidate", "champion", "until", "question", "why", "report"],
        [
            (
                each.model,
                each.champion or "–",
                "its process has ended" if each.has_ended else each.until,
                each.question,
                each.reason,
                each.report,
            )
            for each in every
        ],
    )


def approve(which: Which, by: By, reason: Reason) -> None:
    """Put a candidate that waits online."""
    _answer(which, "approve", by=by, reason=reason)


def reject(which: Which, by: By, reason: Reason) -> None:
    """Keep the champion; the same candidate is not asked about again."""
    _answer(which, "reject", by=by, reason=reason)


def _answer(which: str, decision: Literal["approve", "reject"], *, by: str, reason: str) -> None:
    _connect()
    from tasks.approving.waiting import answer, find_waiting

    waiting = find_waiting(which)
    answer(waiting, decision=decision, by=by, reason=reason)
    done = "approved" if decision == "approve" else "rejected"
    over = f" over {waiting.champion}" * bool(waiting.champion)
    said = f"{done}: {escape(waiting.model)}{over}; run {waiting.run} goes on"
    OUT.print(said, soft_wrap=True)


def _connect(*, with_worker: bool = True) -> None:
    """Point this process at Prefect's server, which is started if it is not there."""
    from cli.stack.shown import warn_of_left
    from deploy.services import ensure_prefect

    settings = settings_for("")
    with ERR.status("asking the local services"):
        ensure_prefect(settings, with_worker=with_worker)
    warn_of_left(settings)
