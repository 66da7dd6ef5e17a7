"""Which files of a home belong in a backup, and which of them are secret."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from configs.settings import Settings
from tasks.notifying.targets import targets_path

REMEMBERED: Final = ("deployments.json", "services/endpoint", "services/stack.json")
"""What this machine was told and would have to be told again."""
NOTIFICATIONS: Final = "notifications.yaml"
GATEWAY_KEYS: Final = "keys.json"
SECRET: Final = (
    NOTIFICATIONS,
    GATEWAY_KEYS,
    *(f"services/{of}-password" for of in ("prefect", "database", "minio")),
)
"""Passwords, keys and addresses with keys in them, which a backup has only when asked."""


def find_kept(home: Path, *, with_secrets: bool) -> Iterator[tuple[str, Path]]:
    """Yield the files that belong in a backup, each with its name there."""
    for name in (*REMEMBERED, *(SECRET if with_secrets else ())):
        path = home / name
        if path.is_file() and not path.is_symlink():
            yield f"home/{name}", path


def find_notifications_elsewhere(settings: Settings) -> str:
    """Return the file that says who is told, if it is none of the home; else nothing.

    What the home's own name links to is elsewhere as well.
    """
    path = targets_path(settings).resolve()
    is_kept = path == settings.home / NOTIFICATIONS
    return str(path) if path.is_file() and not is_kept else ""


def place_of(name: str, home: Path) -> Path | None:
    """Return where a file of a backup goes; None where nothing of a backup goes."""
    within = name.removeprefix("home/")
    return home / within if within in (*REMEMBERED, *SECRET) else None
