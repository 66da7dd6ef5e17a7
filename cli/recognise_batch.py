"""``ocrline recognise-batch``: a folder, a tar file or objects to tables of their lines."""

from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from cli.options import AsJson, Model, Overrides, StoreUri, settings_for
from cli.output import ERR, OUT, keep_prefect_silent, print_json, print_table
from cli.reading import name_only_champion
from configs.layers import merge
from configs.operation.batch import BatchParams
from configs.presets import parse_override
from configs.settings import Settings

if TYPE_CHECKING:
    from tasks.batch.read import BatchRef


def recognise_batch(
    source: Annotated[
        str, typer.Argument(help="A folder, a tar file, a folder in one, or s3://bucket/folder.")
    ],
    name: Annotated[str, typer.Option(help="Name of the batch.")] = "scans",
    model: Model = "",
    overrides: Overrides = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Read every image and PDF once, on all cores, to Parquet files in the store.

    Killed anywhere, the same command goes on; with more files, it reads those that are new.
    """
    settings = settings_for(store)
    _start_prefect(settings)
    from tasks.workspace import open_workspace  # Prefect reads its environment now

    given: dict[str, Any] = {
        "source": source,
        "name": name,
        "model": model or name_only_champion(open_workspace(settings).registry),
    }
    params = BatchParams(**reduce(merge, map(parse_override, overrides or []), given))
    batch = _run_flow(params)
    if as_json:
        print_json(batch)
    else:
        _print(batch)


def _run_flow(params: BatchParams) -> "BatchRef":
    from flows.recognise_batch import recognise_batch
    from tasks.run.narration import log_refusals_plainly

    log_refusals_plainly()
    return recognise_batch(params)


def _start_prefect(settings: Settings) -> None:
    from cli.stack.shown import warn_of_left
    from deploy.services import ensure_prefect

    keep_prefect_silent()
    with ERR.status("starting the local services"):
        server = ensure_prefect(settings)
    warn_of_left(settings)
    if server is not None:
        said = escape(f"{server.ui_url}  (login: {server.password_file})")
        ERR.print(f"  Prefect  {said}", soft_wrap=True)


def _print(batch: "BatchRef") -> None:
    speed = f"{batch.pages_per_s} a second" if batch.pages_per_s else "found, none read again"
    print_table(
        f"read by {batch.model}",
        ["what", "value"],
        [
            ("files", batch.files),
            ("pages", f"{batch.pages} ({speed})"),
            ("lines", batch.lines),
            ("mean confidence", f"{batch.mean_confidence:.4f}"),
            ("quarantined", f"{batch.quarantined} files, {batch.bad_pages} pages of others"),
        ],
    )
    OUT.print(f"tables  {escape(batch.uri)}", soft_wrap=True)
