"""``ocrline keys``: who may ask the gateway, for which models, how often."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from cli.options import AsJson, settings_for
from cli.output import ERR, OUT, print_json
from ocr.errors import OcrError
from ocr.store.state import check_home
from serving.access.key_file import add_key, read_keys, revoke_key
from serving.settings import ServingSettings

app = typer.Typer(
    help="Who may ask the gateway. It reads changes within a second.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="Small letters, digits and . _ -")]


@app.command(epilog="Example: ocrline keys add orders --model receipts --per-minute 600")
def add(
    name: Name,
    model: Annotated[
        list[str] | None, typer.Option(help="May ask this model only; repeatable.")
    ] = None,
    per_minute: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Requests a minute; 0: any number.")
    ] = 0,
    mb_per_minute: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Megabytes a minute; 0: any number.")
    ] = 0,
) -> None:
    """Make a key and print it, this once: only its digest is kept."""
    settings = ServingSettings()
    check_home(settings.home)
    path = settings.keys
    key = add_key(
        path,
        name=name,
        models=tuple(model or ()),
        per_minute=per_minute,
        mb_per_minute=mb_per_minute,
    )
    typer.echo(key)  # before all that may fail: it is not told again
    ERR.print(f"kept in {path}; send it as the header Authorization: Bearer KEY", soft_wrap=True)
    if model:
        _warn_of_unknown(model)


def _warn_of_unknown(models: Sequence[str]) -> None:
    """Say which models are none yet: one may come later, or be misspelt."""
    from tasks.workspace import open_workspace

    try:
        settings = settings_for("")
        known = open_workspace(settings).registry.names()
    except (OcrError, OSError):
        return  # the store is away, and the key is good without it
    for name in models:
        if name not in known:
            there = ", ".join(known) or "none"
            said = escape(f"{settings.store} has no model {name!r} by now; there are: {there}")
            ERR.print(f"[yellow]warning:[/] {said}", soft_wrap=True)


@app.command("list", epilog="Example: ocrline keys list --json")
def show(as_json: AsJson = False) -> None:
    """List the keys, without what they are."""
    keys = read_keys(ServingSettings().keys)
    if as_json:
        print_json([key.model_dump(mode="json", exclude={"sha256"}) for key in keys])
        return
    for key in keys:
        often = f"{key.per_minute} a minute" if key.per_minute else "any number"
        if key.mb_per_minute:
            often += f", {key.mb_per_minute} MB a minute"
        said = f"{key.name}  {', '.join(key.models) or 'every model'}, {often}, since {key.created}"
        OUT.print(said, soft_wrap=True, markup=False)


@app.command(epilog="Example: ocrline keys revoke orders")
def revoke(name: Name) -> None:
    """Forget a key: the gateway refuses it within a second."""
    path = ServingSettings().keys
    revoke_key(path, name)
    ERR.print(f"revoked {name}", markup=False)
    if not read_keys(path):
        said = "no key is left: nobody may ask but by OCRLINE_TOKEN. Whoever is on this machine may"
        ERR.print(f"{said} again once {path} is removed and the gateway started anew", markup=False)
