"""``ocrline deployments``: what Prefect's UI offers and starts by itself."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from cli.options import AsJson, StoreUri, settings_for
from cli.output import ERR, OUT, keep_prefect_silent, print_json, print_table
from configs.settings import Settings
from ocr.errors import BadInput

if TYPE_CHECKING:
    from deploy.deployments.apply import Plan
    from deploy.deployments.difference import Change

DIFFERS = 1
MARKS = {"created": "+", "changed": "~", "no longer declared": "-", "unchanged": " "}
COLOURS = {"created": "green", "changed": "yellow", "no longer declared": "red", "unchanged": "dim"}

app = typer.Typer(
    help="Apply, compare and list deployments: forms, schedules and triggers of projects.",
    no_args_is_help=True,
)

Projects = Annotated[
    list[str] | None,
    typer.Argument(help="Presets or YAML files, beside those that were applied before."),
]


@app.command(epilog="Example: ocrline deployments apply receipts.yaml plates.yaml")
def apply(
    projects: Projects = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    store: StoreUri = "",
) -> None:
    """Show what would change, ask, and make the deployments what the projects say.

    Exit 1 when the answer is no.
    """
    settings = _start(store)
    from prefect.client.orchestration import get_client

    from deploy.deployments.apply import apply_all, make_plan

    given = projects or []
    with get_client(sync_client=True) as client:
        shown = make_plan(client, settings, given)
        _show(shown)
        if not shown.differs:
            OUT.print("nothing to change")
        elif not yes and not _is_agreed():
            OUT.print("nothing was changed")
            raise typer.Exit(DIFFERS)
        done = apply_all(client, settings, given, shown=None if yes else shown)
        if done.differs:
            OUT.print(f"applied {_count(done)}")


@app.command(epilog="Example: ocrline deployments diff")
def diff(projects: Projects = None, store: StoreUri = "", as_json: AsJson = False) -> None:
    """Show what an apply would change; exit 1 when anything would."""
    settings = _start(store, with_worker=False)
    from prefect.client.orchestration import get_client

    from deploy.deployments.apply import make_plan

    with get_client(sync_client=True) as client:
        plan = make_plan(client, settings, projects or [])
    if as_json:
        print_json(plan.changes)
    else:
        _show(plan)
        OUT.print(_count(plan) if plan.differs else "nothing to change")
    if plan.differs:
        raise typer.Exit(DIFFERS)


@app.command("list", epilog="Example: ocrline deployments list")
def list_deployments(store: StoreUri = "", as_json: AsJson = False) -> None:
    """List the deployments of the server."""
    _start(store, with_worker=False)
    from prefect.client.orchestration import get_client

    from deploy.deployments.server import read_stored

    columns = ("queue", "schedule", "started by", "at once", "when busy")
    with get_client(sync_client=True) as client:
        found = {name: each.describe() for name, each in sorted(read_stored(client).items())}
    rows = [
        {"name": name, **{key: each.facts[key] for key in columns}, "notes": each.notes}
        for name, each in found.items()
    ]
    if as_json:
        print_json(rows)
        return
    print_table(
        "deployments",
        ["name", *columns, "notes"],
        [(*list(row.values())[:-1], "; ".join(row["notes"])) for row in rows],
    )


@app.command(epilog="Example: ocrline deployments drift receipts --reason 'hmean fell to 0.81'")
def drift(
    model: Annotated[str, typer.Argument(help="Name of the model.")],
    reason: Annotated[str, typer.Option(help="What was seen; it goes with the event.")],
    store: StoreUri = "",
) -> None:
    """Raise the event ocrline.drift, which starts a retraining where the project is applied."""
    _start(store)
    from prefect.client.orchestration import get_client

    from deploy.deployments.automations import name_automation
    from deploy.deployments.server import find_started_by
    from tasks.starting.events import DRIFT, raise_event

    with get_client(sync_client=True) as client:
        waiting = find_started_by(client, DRIFT, model)
    if not waiting:
        raise BadInput(f"nothing waits for {DRIFT} of {model!r}: apply its project first")
    started = [name for name, stored in waiting.items() if not stored.is_off]
    if not started:
        off = ", ".join(repr(name_automation(name)) for name in waiting)
        raise BadInput(
            f"what starts the retraining of {model!r} by events was switched off by a person: "
            f"switch {off} on again in the Prefect UI, under Automations"
        )
    raise_event(DRIFT, model, {"reason": reason})
    OUT.print(f"raised {DRIFT} for {escape(model)}; it starts {', '.join(started)}")


def _is_agreed() -> bool:
    """Ask; who cannot answer has not agreed."""
    try:
        return typer.confirm("Apply?")
    except typer.Abort:
        return False


def _start(store: str, *, with_worker: bool = True) -> Settings:
    """Start or reuse Prefect's server, and point this process at it."""
    from cli.stack.shown import warn_of_left
    from deploy.services import ensure_prefect

    settings = settings_for(store)
    keep_prefect_silent()
    with ERR.status("starting the local services"):
        ensure_prefect(settings, with_worker=with_worker)
    warn_of_left(settings)
    return settings


def _show(plan: "Plan") -> None:
    for file in plan.gone:
        OUT.print(f"[yellow]no file {escape(file)} any more[/]", soft_wrap=True)
    for change in plan.changes:
        if change.what != "unchanged" or change.notes:
            _show_one(change)


def _show_one(change: "Change") -> None:
    colour = COLOURS[change.what]
    OUT.print(f"[{colour}]{MARKS[change.what]} {escape(change.name)}[/]  {change.what}")
    for field in change.fields:
        said = f"{field.name}: {field.old or '–'} → {field.new or '–'}"
        OUT.print(f"      {escape(said)}", soft_wrap=True)
    for note in change.notes:
        OUT.print(f"      [yellow]{escape(note)}[/]", soft_wrap=True)


def _count(plan: "Plan") -> str:
    from deploy.deployments.difference import differing

    kinds = Counter(change.what for change in differing(plan.changes))
    return ", ".join(f"{count} {what}" for what, count in kinds.items())
