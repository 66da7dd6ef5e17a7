"""``ocrline models``: what is in the registry, and who is champion."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.models.compare import compare
from cli.models.download import download
from cli.models.history import history
from cli.models.show import show
from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table

if TYPE_CHECKING:
    from ocr.models.alias import AliasState
    from ocr.models.registry import Registry

app = typer.Typer(
    help="List, show, compare, download, promote and roll back models.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="Name of the model.")]
Reason = Annotated[str, typer.Option(help="Why; kept in the history.")]


@app.command("list", epilog="Example: ocrline models list")
def list_models(store: StoreUri = "", as_json: AsJson = False) -> None:
    """List every model, its champion and how many versions it has."""
    registry = _registry(store)
    rows: list[dict[str, Any]] = []
    for name in registry.names():
        champion = registry.champion(name)
        versions = registry.versions(name)
        shown = registry.version(name, champion.version if champion else versions[-1])
        rows.append(
            {
                "name": name,
                "task": shown.task,
                "champion": champion.version if champion else None,
                "parts": [*shown.parts.values()],
                "versions": versions,
            }
        )
    if as_json:
        print_json(rows)
        return
    print_table(
        "models",
        ["name", "task", "champion", "parts", "versions"],
        [
            (
                row["name"],
                row["task"],
                row["champion"] or "–",
                " ".join(row["parts"]),
                len(row["versions"]),
            )
            for row in rows
        ],
    )


app.command(epilog="Example: ocrline models show plates")(show)
app.command(epilog="Example: ocrline models compare plates:3f2a9c11d0be plates@champion")(compare)
app.command(epilog="Example: ocrline models history plates --metric accuracy --html trend.html")(
    history
)


app.command(epilog="Example: ocrline models download receipts bundle")(download)


@app.command(epilog="Example: ocrline models promote plates 3f2a9c11d0be --reason 'read by hand'")
def promote(
    name: Name,
    version: Annotated[str, typer.Argument(help="Version to promote, or a clear start of it.")],
    reason: Reason = "by hand",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Make a version the champion."""
    registry = _registry(store)
    found = registry.resolve(f"{name}:{version}")
    _say(registry.promote(name, found.version, reason=reason), as_json)


@app.command(epilog="Example: ocrline models rollback plates --reason 'reads 8 as B'")
def rollback(
    name: Name, reason: Reason = "by hand", store: StoreUri = "", as_json: AsJson = False
) -> None:
    """Make the version before the champion the champion again."""
    registry = _registry(store)
    if not registry.versions(name):
        registry.resolve(name)  # which says what there is instead
    _say(registry.rollback(name, reason=reason), as_json)


def _registry(store: str) -> "Registry":
    from deploy.services import find_prefect
    from tasks.workspace import open_workspace

    settings = settings_for(store)
    find_prefect(settings)  # which hears of moves, if it runs
    return open_workspace(settings).registry


def _say(state: "AliasState", as_json: bool) -> None:
    from tasks.notifying.occasions import tell_move

    if as_json:
        print_json({"name": state.name, "champion": state.version, "history": state.history})
    else:
        already = "" if state.has_moved else " already: nothing moved, and no reason is kept"
        OUT.print(f"champion of {state.name} is {state.version}{already}")
    tell_move(state)
