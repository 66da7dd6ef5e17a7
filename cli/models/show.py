"""``ocrline models show``: what is online, and why."""

from typing import Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json


def show(
    model: Annotated[str, typer.Argument(help="NAME, NAME@alias or NAME:version.")],
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Show a version down to its data and code: training, decision, promotion, whatever is known.

    What the store does not know any more is said.
    """
    from cli.models.tree import draw_tree
    from ocr.lineage.ancestry import read_ancestry
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    version = workspace.registry.resolve(model)
    ancestry = read_ancestry(workspace.registry, version, workspace.copy_tables)
    if as_json:
        manifest = {**version.manifest}
        history = workspace.registry.history(version.name)
        print_json({"model": manifest, "history": history, "lineage": ancestry})
    else:
        OUT.print(draw_tree(ancestry))
