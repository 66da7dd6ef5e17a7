"""``ocrline restore``: a backup into an empty home, store and database."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import Progress

from cli.options import AsJson, StoreUri, settings_for
from cli.output import ERR, OUT, print_json

if TYPE_CHECKING:
    from deploy.keeping.restore import RestoreReport


def restore(
    file: Annotated[Path, typer.Argument(help="Archive that ocrline backup wrote.")],
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Check a backup to its last byte, then restore it where nothing is yet.

    Interrupted, nothing else works with the home until the same command has finished it.
    """
    from deploy.keeping.restore import restore as restore_backup

    began = time.monotonic()
    with Progress(console=ERR, transient=True) as bars:
        by_name = {name: bars.add_task(name, total=None) for name in ("checking", "restoring")}
        report = restore_backup(
            settings_for(store),
            file,
            progress=lambda name, done, most: bars.update(
                by_name[name], completed=done, total=most
            ),
        )
    if as_json:
        print_json(report)
    else:
        _print(report, seconds=time.monotonic() - began)


def _print(report: "RestoreReport", *, seconds: float) -> None:
    from serving.settings import ServingSettings

    database = f"a database of {report.database}" if report.database else "no database"
    OUT.print(
        f"{escape(report.store)}: {report.objects} objects and {database} of {report.created}, "
        f"{report.bytes / 1e9:.3f} GB, {seconds:.1f} s; home {escape(report.home)}",
        soft_wrap=True,
    )
    open_to_all = "until `ocrline keys add` the gateway asks nobody for a key"
    if (keys := ServingSettings().keys).exists():
        open_to_all = f"the gateway knows the keys of {keys} alone, which was here before"
    if not report.secrets:
        said = (
            "the backup has no passwords and keys: new ones are made, blocks are filled again, and"
        )
        OUT.print(f"{said} {open_to_all}", soft_wrap=True)
    elif not report.gateway_keys:
        OUT.print(f"the backup has no keys of the gateway: {open_to_all}", soft_wrap=True)
