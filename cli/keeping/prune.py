"""``ocrline prune``: what nobody needs any more, shown, and with ``--yes`` removed."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table
from configs.operation.prune import PruneParams

if TYPE_CHECKING:
    from tasks.keeping.prune import PruneRow


def prune(
    older_than: Annotated[
        int, typer.Option(min=7, help="Days since it was written or in use; a run may last that.")
    ] = 30,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also versions that were never champion.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; else it is only shown.")] = False,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Show what of the store and of this machine nobody needs, and what stays; --yes removes it.

    Champions, their history, what they were made of and judged by, and frozen tests always stay.
    """
    from tasks.keeping.prune import prune_workspace
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    params = PruneParams(older_than_days=older_than, versions=versions, dry_run=not yes)
    rows = prune_workspace(workspace, params)
    if as_json:
        print_json(rows)
    elif rows:
        _print(rows, yes=yes)
    else:
        OUT.print(f"nothing is stored in {workspace.store.uri}", soft_wrap=True)


def _print(rows: "list[PruneRow]", *, yes: bool) -> None:
    from tasks.keeping.prune import describe, sum_up

    sums = sum_up(rows)
    for title, may_go in (("what stays", False), ("what may go", True)):
        print_table(
            title,
            ["what", "how many", "MB", "why"],
            [(s.kind, s.things, f"{s.megabytes:.1f}", s.why) for s in sums if s.may_go == may_go],
        )
    OUT.print(
        describe(rows, dry_run=not yes) + ("" if yes else "; --yes removes them, --json names each")
    )
