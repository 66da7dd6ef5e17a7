"""``ocrline find-document``: where a store holds a document, and what was made of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table

if TYPE_CHECKING:
    from ocr.lineage.documents import Holding

Paths = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="As label files have it; * for anything.")
]


def find_document(paths: Paths, store: StoreUri = "", as_json: AsJson = False) -> None:
    """Say what the store holds of documents, and which versions, evaluations and reports too.

    Of an image that is there under another path as well, that is found by its content.
    """
    from ocr.lineage.documents import find_holdings
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    found, unknown = find_holdings(workspace.registry, paths)
    if as_json:
        print_json(found)
        return
    print_holdings(found, unknown, uri=workspace.store.uri)
    if found:
        tell_elsewhere(workspace.home)


def print_holdings(found: "Sequence[Holding]", unknown: Sequence[str], *, uri: str) -> None:
    """Print what a store holds of documents, and which of them nothing there is called."""
    if found:
        rows = [(each.kind, each.prefix, each.why) for each in found]
        print_table(f"in {uri}", ["what", "where", "of them"], rows)
    if unknown:
        OUT.print(f"nothing in {uri} is called {', '.join(unknown)}", markup=False, soft_wrap=True)


def tell_elsewhere(home: Path) -> None:
    """Say where else documents may be."""
    OUT.print(
        f"copies may be in the home of each machine ({home}), in Prefect's database and in backups",
        markup=False,
        soft_wrap=True,
    )
