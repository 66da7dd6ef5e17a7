"""``ocrline serve``: the gateway in the foreground."""

import os
import sys
from typing import Annotated, Final

import typer

from cli.options import StoreUri, settings_for
from deploy.background import clean_environment
from serving.settings import Engine, ServingSettings

DEFAULTS: Final = {name: field.default for name, field in ServingSettings.model_fields.items()}


def serve(
    host: Annotated[
        str, typer.Option(envvar="OCRLINE_HOST", help="Address to listen on.")
    ] = DEFAULTS["host"],
    port: Annotated[
        int, typer.Option(envvar="OCRLINE_PORT", min=1, max=65535, help="Port to listen on.")
    ] = DEFAULTS["port"],
    engine: Annotated[
        Engine, typer.Option(envvar="OCRLINE_ENGINE", help="What runs the models.")
    ] = DEFAULTS["engine"],
    model: Annotated[
        list[str] | None,
        typer.Option(help="Serve only this model; repeatable [OCRLINE_MODELS, comma-separated]."),
    ] = None,
    store: StoreUri = "",
) -> None:
    """Serve every model that has a champion, and follow promotions and rollbacks."""
    settings_for(store)
    environment = {
        **clean_environment(),
        "OCRLINE_HOST": host,
        "OCRLINE_PORT": str(port),
        "OCRLINE_ENGINE": engine,
    }
    if model:
        environment["OCRLINE_MODELS"] = ",".join(model)
    os.execve(sys.executable, [sys.executable, "-m", "serving"], environment)
