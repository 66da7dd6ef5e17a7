"""Saves and restores, also in part, and looks at what there is."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from configs.settings import Settings
from deploy.keeping.backup import back_up
from deploy.keeping.restore import RestoreReport, restore
from ocr.store import Store
from tests.ocr.backup.archives import read


def save(settings: Settings, path: Path, *, with_secrets: bool = False) -> Path:
    back_up(settings, path, with_secrets=with_secrets, progress=lambda done, most: None)
    return path


def bring_back(settings: Settings, path: Path) -> RestoreReport:
    return restore(settings, path, progress=lambda name, done, most: None)


def content(store: Store) -> dict[str, bytes]:
    return {key: store.read_bytes(key) for key in store.list("")}


def rows(home: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "prefect" / "prefect.db")) as database:
        return database.execute(statement).fetchall()


def list_members(path: Path) -> list[str]:
    return list(read(path))


class Killed(Exception):
    """What stands for a kill within this process."""


def interrupt_by_kill(settings: Settings, path: Path, *, step: int) -> None:
    """End a process at a step as a kill would."""
    left = step

    def count(name: str, done: int, most: int) -> None:
        nonlocal left
        if not left:
            os._exit(9)
        left -= 1

    if not (child := os.fork()):
        restore(settings, path, progress=count)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def interrupt_by_error(settings: Settings, path: Path, *, step: int) -> None:
    left = step

    def count(name: str, done: int, most: int) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1

    with pytest.raises(Killed):
        restore(settings, path, progress=count)
