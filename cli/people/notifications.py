"""``ocrline notifications``: who is told of what, and a message of each kind to try it."""

from typing import Annotated, get_args
from uuid import uuid4

import typer

from cli.options import AsJson, settings_for
from cli.output import OUT, print_json, print_table
from configs.people.notifications import EventKind

app = typer.Typer(help="Who is told of what happens.", no_args_is_help=True)

UNTOLD = 5


@app.command("list", epilog="Example: ocrline notifications list")
def show(as_json: AsJson = False) -> None:
    """List who is told of what, without their secrets."""
    from tasks.notifying.masking import show_url
    from tasks.notifying.targets import read_targets, targets_path

    settings = settings_for("")
    rows = [
        {
            "name": target.name,
            "address": show_url(target.url),
            "events": target.events,
            "models": target.models,
        }
        for target in read_targets(settings).every
    ]
    if as_json:
        print_json(rows)
        return
    print_table(
        f"told, by {targets_path(settings)}",
        ["name", "address", "events", "models"],
        [
            (
                row["name"],
                row["address"],
                ", ".join(row["events"]) or "every one",
                ", ".join(row["models"]) or "every one",
            )
            for row in rows
        ],
    )


@app.command("test", epilog="Example: ocrline notifications test --event promotion")
def try_out(
    event: Annotated[
        EventKind | None, typer.Option(help="Only this kind; else one of each.")
    ] = None,
) -> None:
    """Send everybody a message of each kind that they want; exit 5 when somebody is not told."""
    from tasks.notifying.examples import example
    from tasks.notifying.notify import tell
    from tasks.notifying.targets import read_targets

    targets = read_targets(settings_for(""))
    failed = []
    for kind in (event,) if event else get_args(EventKind):
        notice = example(kind, id_=str(uuid4()))
        wanted = sum(target.wants(notice) for target in targets.every)
        untold = tell(notice, targets)
        failed += untold
        OUT.print(f"{kind}: {wanted - len(untold)} of {wanted} targets told", markup=False)
    if failed:
        raise typer.Exit(UNTOLD)
