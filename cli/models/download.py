"""``ocrline models download``: a version as files, for other tools to load."""

from pathlib import Path
from typing import Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json


def download(
    model: Annotated[str, typer.Argument(help="NAME, NAME@alias or NAME:version.")],
    folder: Annotated[Path, typer.Argument(help="New folder.")],
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Copy a version out of the store, verified; its card.md says how other tools load it.

    A pipeline and the nets that it is made of get a folder each.
    """
    from ocr.store.whole import folder_written_whole
    from tasks.workspace import open_workspace

    registry = open_workspace(settings_for(store)).registry
    version = registry.resolve(model)
    folders = {role: registry.resolve(part) for role, part in version.parts.items()}
    folders = {"pipeline": version, **folders} if folders else {"": version}
    with folder_written_whole(folder) as whole:
        for role, each in folders.items():
            registry.download(each, whole / role)
    said = {str(folder / role): each.reference for role, each in folders.items()}
    if as_json:
        print_json({"model": version.reference, "folders": said})
        return
    for place, reference in said.items():
        OUT.print(f"{place}: {reference}", markup=False, soft_wrap=True)
