"""``ocrline erase-document``: all that holds a document, shown, and with ``--yes`` removed."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.keeping.find_document import Paths, print_holdings, tell_elsewhere
from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table, refuse

if TYPE_CHECKING:
    from tasks.keeping.erase import Erased

INCOMPLETE = 5


def erase_document(
    paths: Paths,
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; else it is only shown.")] = False,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> int:
    """Show what holds documents or was made of them, and what is in the way; --yes removes it.

    Take them out of labels and images first, retrain and promote: what is online stays. Stop what
    runs, which may write them again. On other machines the same command removes their copies.
    """
    from tasks.keeping.erase import erase_documents, find_documents
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    found = (erase_documents if yes else find_documents)(workspace, paths)
    if as_json:
        print_json(found)
    else:
        print_holdings(found.things, found.unknown, uri=workspace.store.uri)
        if found.things or found.copies:
            _print(found, yes=yes)
            tell_elsewhere(workspace.home)
    if found.left:
        still = f"{len(found.left)} are still there, such as {found.left[0]}"
        return refuse(f"{still}: somebody works with them; stop what runs, then repeat", INCOMPLETE)
    return 0


def _print(found: "Erased", *, yes: bool) -> None:
    if found.copies:
        print_table("on this machine", ["where"], [(path,) for path in found.copies])
    for each in found.hindrances:
        _say(f"in the way: {each}; retrain without the documents and promote, then erase")
    counts = f"{len(found.things)} things of the store and {len(found.copies)} of this machine"
    _say(f"{counts} {'erased' if yes else 'would go; --yes removes them'}")


def _say(line: str) -> None:
    OUT.print(line, markup=False, soft_wrap=True)
