"""``ocrline serve`` and ``ocrline stop``."""

import os
import sys
from typing import Annotated

import typer

from cli.output import ERR, AsJson, StoreUri, print_json
from cli.retrain import settings_for


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8868,
    engine: Annotated[str, typer.Option(help="onnxruntime or paddle.")] = "onnxruntime",
    model: Annotated[
        list[str] | None, typer.Option(help="Serve only this model; repeatable.")
    ] = None,
    store: StoreUri = "",
) -> None:
    """Serve every model that has a champion, and follow promotions and rollbacks."""
    settings_for(store)
    os.environ.update(
        OCRLINE_HOST=host,
        OCRLINE_PORT=str(port),
        OCRLINE_ENGINE=engine,
        OCRLINE_MODELS=",".join(model or []),
    )
    os.execv(sys.executable, [sys.executable, "-m", "serving"])


def stop(as_json: AsJson = False) -> None:
    """Stop the services that ocrline started on this machine."""
    from deploy.services import stop_services

    stopped = stop_services(settings_for(""))
    if as_json:
        print_json({"stopped": stopped})
    else:
        ERR.print(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")
