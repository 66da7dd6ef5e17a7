"""Options that several commands share, and what ``--store`` means to every process."""

import os
from pathlib import Path
from typing import Annotated

import typer

from configs.settings import Settings
from deploy.parts.minio import store_variables
from flows.stages import Stage

Preset = Annotated[str, typer.Argument(help="Preset (demo, receipts, plates) or YAML file.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override one parameter: key.path=value; repeatable."),
]
Until = Annotated[Stage, typer.Option(help="Last stage to run; all before it are found or made.")]
Model = Annotated[
    str, typer.Option(help="NAME, NAME@alias or NAME:version; default: the only champion.")
]
StoreUri = Annotated[
    str,
    typer.Option("--store", help="Store: file:///folder or s3://bucket/prefix [OCRLINE_STORE]."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document for machines.")]


def adopt_minio(home: Path) -> None:
    """Let the MinIO server that `ocrline up --minio` started be the store, if none is named."""
    os.environ.update(store_variables(home / "services", os.environ))


def settings_for(store: str) -> Settings:
    """Read the settings with ``--store`` on top, and hand them down to every process."""
    if store:
        os.environ["OCRLINE_STORE"] = store
    adopt_minio(Settings().home)
    settings = Settings()
    os.environ["OCRLINE_HOME"] = str(settings.home)
    os.environ["OCRLINE_STORE"] = settings.store
    return settings
