"""``ocrline up``: Prefect's server, worker, gateway and store, started with one command."""

import os
import time
from typing import Annotated
from urllib.parse import urlsplit

import typer
from pydantic import ValidationError
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from cli.options import StoreUri, adopt_minio, settings_for
from cli.output import ERR, tell
from cli.stack.shown import table_of
from configs.base import hide_keys
from configs.deployment import ENDPOINT, DeploymentParams
from configs.settings import Settings
from ocr.machine.owner import describe_listener
from tasks.gateway_address import LOOPBACK

UPDATES = 4
"""Times a second."""


class Progress:
    """A table of the parts that counts the seconds of the one that is waited for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._waited_for = ""
        self._since = time.monotonic()
        self._look()

    def wait_for(self, name: str) -> None:
        """Say which part is being started; empty: none any more."""
        self._waited_for, self._since = name, time.monotonic()
        self._look()

    def __rich__(self) -> Table:
        return table_of(self._parts, waited_for=self._waited_for, since=self._since)

    def _look(self) -> None:
        from deploy.status import read_parts

        self._parts = list(read_parts(self._settings))


def up(
    endpoint: Annotated[
        str, typer.Option(help="Address of the gateway; without: where it was, or port 8868.")
    ] = "",
    minio: Annotated[
        bool | None,
        typer.Option(
            "--minio/--no-minio",
            help="A MinIO server under the home is the store, or a folder is; without: as before.",
        ),
    ] = None,
    store: StoreUri = "",
) -> None:
    """Start everything that this machine runs, or what of it is missing; safe to repeat."""
    if minio is not None:
        _choose_store(has_minio=minio)
    settings = settings_for(store)
    if endpoint:
        _check(endpoint)
    before = _prefect_port(settings)
    _bring_up(settings, endpoint)
    _say_where(settings)
    if before not in (0, _prefect_port(settings)):
        said = f"Prefect moved: its port {before} is taken by {describe_listener(before)}"
        tell("[yellow]warning:[/]", said)


def _prefect_port(settings: Settings) -> int:
    from deploy.memory import read_memory
    from deploy.services import services_folder

    return read_memory(services_folder(settings)).port


def _check(endpoint: str) -> None:
    """Refuse what is no address of a gateway here, before it is remembered."""
    try:
        host = urlsplit(DeploymentParams(endpoint=endpoint).endpoint).hostname
    except ValidationError:
        form = f"{hide_keys(endpoint)!r}: expected http://127.0.0.1:PORT"
        raise typer.BadParameter(f"--endpoint {form}") from None
    if host not in LOOPBACK:
        raise typer.BadParameter(f"--endpoint: {host} is not this machine; expected 127.0.0.1")


def _choose_store(*, has_minio: bool) -> None:
    from deploy.memory import read_memory
    from deploy.parts.minio import ensure_minio, forget_minio
    from deploy.services import find_at_the_store, services_folder

    settings = Settings()
    folder = services_folder(settings)
    if read_memory(folder).has_minio != has_minio and (running := find_at_the_store(settings)):
        choice = "--minio" if has_minio else "--no-minio"
        raise typer.BadParameter(
            f"{choice}: what runs here ({', '.join(running)}) works with the store of before; "
            f"ocrline down, then ocrline up {choice}"
        )
    if not has_minio:
        forget_minio(folder)
        return
    os.environ.pop("OCRLINE_STORE", None)
    with ERR.status("starting MinIO"):
        ensure_minio(settings.home, folder, moves=True)
    adopt_minio(settings.home)


def _bring_up(settings: Settings, endpoint: str) -> None:
    from deploy.services import remembered_endpoint
    from deploy.stack import bring_up

    chosen = endpoint or ("" if remembered_endpoint(settings) else ENDPOINT)
    progress = Progress(settings)
    try:
        with Live(progress, console=ERR, refresh_per_second=UPDATES):
            for name in bring_up(settings, chosen):
                progress.wait_for(name)
            progress.wait_for("")
    finally:
        if not ERR.is_terminal:  # where nothing is live, the table is printed without its last end
            ERR.print()


def _say_where(settings: Settings) -> None:
    from deploy.services import password_file, remembered_endpoint
    from deploy.status import read_parts, warn_of_refused

    ui = next(part.address for part in read_parts(settings) if part.name == "Prefect")
    for name, said in (
        ("Prefect", f"{ui}  (login: {password_file(settings)})"),
        ("gateway", f"{remembered_endpoint(settings)}/"),
        ("store", settings.store),
    ):
        ERR.print(f"  {name:<8} {escape(said)}", soft_wrap=True)
    for said in warn_of_refused(settings.home):
        tell("[yellow]warning:[/]", said)
    ERR.print("`ocrline status` shows it again, `ocrline down` ends it", markup=False)
