"""Variables of ours: which our services are told, and which one that runs was told otherwise."""

import os
from pathlib import Path

import psutil

from configs.settings import Settings, variable_of
from deploy.background import Service, find_service
from deploy.memory import read_memory
from deploy.parts.database import SQLITE
from deploy.parts.release import CODE, name_release

NOT_THE_GATEWAYS = Settings.model_fields.keys() - {
    *("engine", "paddle_serving_python", "token"),
    *("s3_access_key", "s3_secret_key", "s3_region", "s3_secure"),
}
"""Settings of runs, and of where the store is: with another store nothing is left to be told."""


def our_variables(settings: Settings) -> dict[str, str]:
    """Return the variables of this process that its services are to have."""
    ours = {k: v for k, v in os.environ.items() if k.startswith(("OCRLINE_", "MINIO_"))}
    # Where `ocrline serve` listens is not where these do; the database is the server's alone.
    others = ("OCRLINE_HOST", "OCRLINE_PORT", "OCRLINE_DATABASE", "OCRLINE_DATABASE_PASSWORD")
    kept = {k: v for k, v in ours.items() if k not in others}
    places = {"OCRLINE_HOME": str(settings.home), "OCRLINE_STORE": settings.store}
    return {**kept, **places, CODE: name_release()}


def describe_left(settings: Settings, folder: Path, *, gateway: str = "") -> str:
    """Say what of this process's variables is not so where a command works; empty: all is.

    Args:
        settings: Of this machine.
        folder: Where services are remembered.
        gateway: The name of the one that it works with; empty: with none.
    """
    serving = find_service(folder, gateway) if gateway else None
    names = _name_differing(settings, serving) if serving else []
    if names:
        what = f"{gateway} was started with another {', '.join(names)}"
    elif settings.database not in ("", read_memory(folder).database or SQLITE):
        what = "Prefect's server was started with another OCRLINE_DATABASE"
    else:
        return ""
    return f"{what} and is left so; `ocrline up` starts it anew as it is set here"


def _name_differing(settings: Settings, gateway: Service) -> list[str]:
    try:
        theirs = psutil.Process(gateway.pid).environ()
    except psutil.Error:
        return []
    others = {CODE, *map(variable_of, NOT_THE_GATEWAYS)}  # of other code is what `status` says
    if (settings.home / "keys.json").exists():
        others.add("OCRLINE_TOKEN")  # it is a key then, which the gateway knows
    ours = our_variables(settings).items()
    return sorted(k for k, v in ours if k not in others and theirs.get(k, "") != v)
