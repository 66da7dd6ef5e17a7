"""The local stack as tables: its parts, its queues, its models."""

import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from rich.markup import escape
from rich.table import Table

from cli.output import OUT, print_table, tell
from configs.settings import Settings
from deploy.parts.variables import describe_left
from deploy.services import services_folder
from deploy.status import Part, StackStatus

MARKS = {"up": "[green]up[/]", "starting": "[yellow]starting[/]", "down": "[red]down[/]"}
MINUTE_S = 60
HOUR_S = 3600
DAY_S = 24 * HOUR_S


def table_of(parts: Sequence[Part], *, waited_for: str = "", since: float = 0.0) -> Table:
    """Return a row for each part.

    Args:
        parts: Of the stack.
        waited_for: The name of the one that is being started.
        since: When its start began, of ``time.monotonic``.
    """
    table = Table(header_style="bold")
    for column in ("part", "state", "address", "pid", "for"):
        table.add_column(column, overflow="fold")
    for part in parts:
        begins = part.name == waited_for
        lasts_s = time.monotonic() - since if begins else time.time() - part.started
        table.add_row(
            part.name,
            MARKS["starting" if begins else part.state],
            escape(part.address),
            str(part.pid or ""),
            _length(lasts_s) if begins or part.started else "",
        )
    return table


def print_status(status: StackStatus) -> None:
    """Print what is up, what runs and waits, and which versions answer."""
    OUT.print(table_of(status.parts))
    if status.queues:
        print_table(
            "queues",
            ["queue", "runs", "of", "wait", ""],
            [
                (q.name, q.running, q.limit or "any", q.waiting, "paused" * q.is_paused)
                for q in status.queues
            ],
        )
    if status.models:
        print_table(
            "models",
            ["model", "champion", "served"],
            [(m.name, m.champion or "–", m.served or "–") for m in status.models],
        )
    for warning in status.warnings:
        tell("[yellow]warning:[/]", warning)


def warn_of_left(settings: Settings, *, gateway: str = "") -> None:
    """Say what of the stack, left as it runs, is not as this command's variables say.

    Args:
        settings: Of this machine.
        gateway: Address of the gateway that the command works with; empty: with none.
    """
    name = f"gateway-{urlsplit(gateway).port or 80}" if gateway else ""
    if said := describe_left(settings, services_folder(settings), gateway=name):
        tell("[yellow]warning:[/]", said)


def _length(seconds: float) -> str:
    if seconds < MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    return f"{seconds / HOUR_S:.0f} h" if seconds < DAY_S else f"{seconds / DAY_S:.0f} days"
