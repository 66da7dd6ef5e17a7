"""``ocrline backup``: database, store and what this machine remembers, in one file."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import Progress

from cli.options import AsJson, StoreUri, settings_for
from cli.output import ERR, OUT, print_json

if TYPE_CHECKING:
    from deploy.keeping.backup import BackupReport


def backup(
    file: Annotated[Path, typer.Argument(help="Archive to write: .tar.zst; must not exist.")],
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Also passwords and keys: guard the file.")
    ] = False,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Write database and store to one file that only you can read, while everything runs on.

    Passwords, keys and the contents of Prefect's blocks are left out unless asked for.
    """
    from deploy.keeping.backup import back_up

    began = time.monotonic()
    with Progress(console=ERR, transient=True) as bars:
        bar = bars.add_task("saving", total=None)
        report = back_up(
            settings_for(store),
            file,
            with_secrets=with_secrets,
            progress=lambda done, most: bars.update(bar, completed=done, total=most),
        )
    if as_json:
        print_json(report)
    else:
        _print(report, seconds=time.monotonic() - began)


def _print(report: "BackupReport", *, seconds: float) -> None:
    database = f"a database of {report.database}" if report.database else "no database"
    OUT.print(
        f"{escape(report.file)}: {report.objects} objects and {database}, "
        f"{report.bytes / 1e9:.3f} GB in {report.archive_bytes / 1e9:.3f}, {seconds:.1f} s",
        soft_wrap=True,
    )
    if not report.secrets:
        said = (
            "passwords, keys, notifications.yaml and what Prefect's blocks hold were left out "
            "(--with-secrets)"
        )
        OUT.print(said, soft_wrap=True)
    if report.notifications_elsewhere:
        said = (
            f"{escape(report.notifications_elsewhere)}, which says who is told, "
            "is not the home's own notifications.yaml: not in the backup"
        )
        OUT.print(said, soft_wrap=True)
    if report.foreign:
        name, more = report.foreign[0], len(report.foreign) - 1
        first = name if name.isprintable() else ascii(name)
        said = f"left out of the store what ocrline did not put there: {escape(first)}"
        OUT.print(said + f" and {more} more" * bool(more), soft_wrap=True)
