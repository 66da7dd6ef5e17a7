"""Prefect's database, the store and what the home remembers, into one archive."""

import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from configs.settings import Settings
from deploy.keeping.database import DATABASE, open_database
from deploy.keeping.home import find_kept, find_notifications_elsewhere
from ocr.backup.contents import choose_contents
from ocr.backup.head import Head
from ocr.backup.objects import copy_objects
from ocr.backup.writing import new_archive, refuse_taken
from ocr.errors import ArtifactNotFound
from ocr.store import S3Credentials, open_store
from ocr.store.local import ABANDONED_S
from ocr.store.state import check_home, meet_store

SAVED: Final = "prefect.dump"
BESIDE: Final = ".ocrline-backup-"
"""Begins the name of the folder beside the archive that holds the database on its way."""
SLACK_BYTES: Final = 1 << 20  # an object that is replaced may grow after it was listed

Progress = Callable[[int, int], None]
"""Told how many bytes are done, and of how many at most."""


@dataclass(frozen=True)
class BackupReport:
    """What is in a backup.

    Attributes:
        file: The archive.
        objects: Of the store.
        bytes: Of all, before they were compressed.
        archive_bytes: Of the archive.
        database: Of which kind; empty: Prefect has none here.
        secrets: Whether passwords and keys are in it.
        notifications_elsewhere: The file that says who is told, where it is not the home's own
            and so in no backup; else empty.
        foreign: Names in the store that are no keys of it, and so left out.
    """

    file: str
    objects: int
    bytes: int
    archive_bytes: int
    database: str
    secrets: bool
    notifications_elsewhere: str
    foreign: tuple[str, ...]


def back_up(
    settings: Settings, path: Path, *, with_secrets: bool, progress: Progress
) -> BackupReport:
    """Write a backup while everything runs on.

    The database is of a moment before the store's: what its runs tell of is there.

    Raises:
        ArtifactExists: There is such a file.
        ArtifactNotFound: There is no home, and the store would be a folder of it.
        ServiceFailed: PostgreSQL cannot be asked.
        StoreUnavailable: The store does not answer, what the home has worked with is gone, or there
            is no room.
    """
    refuse_taken(path)
    check_home(settings.home)
    if settings.has_store_at_home and not settings.home.exists():
        raise ArtifactNotFound(f"No home at {settings.home}: name the OCRLINE_HOME that is meant")
    store = open_store(settings.store, s3=S3Credentials.of(settings))
    meet_store(settings.home, store, server=settings.s3_endpoint)
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path.parent)
    with tempfile.TemporaryDirectory(prefix=BESIDE, dir=path.parent) as folder:
        kind, beside = _save_database(settings, Path(folder), with_secrets=with_secrets)
        beside += find_kept(settings.home, with_secrets=with_secrets)
        contents = choose_contents(store)
        size = contents.size + sum(file.stat().st_size for _, file in beside)
        head = Head(
            files=contents.files + len(beside),
            bytes=size + SLACK_BYTES,
            release=version("ocrline"),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            database=kind,
            secrets=with_secrets,
        )
        with new_archive(path, head) as archive:
            for name, file in beside:
                archive.add_file(name, file)
            for _ in copy_objects(store, contents, archive):
                progress(archive.bytes, size)
    return BackupReport(
        file=str(path),
        objects=archive.files - len(beside),
        bytes=archive.bytes,
        archive_bytes=path.stat().st_size,
        database=kind,
        secrets=with_secrets,
        notifications_elsewhere=find_notifications_elsewhere(settings),
        foreign=contents.foreign,
    )


def _sweep(folder: Path) -> None:
    """Remove what backups left there that were killed: the database is in it."""
    with suppress(OSError):  # another backup sweeps too
        for left in folder.glob(f"{BESIDE}*/{SAVED}"):
            if left.lstat().st_mtime < time.time() - ABANDONED_S and not left.parent.is_symlink():
                left.unlink()
                left.parent.rmdir()


def _save_database(
    settings: Settings, folder: Path, *, with_secrets: bool
) -> tuple[str, list[tuple[str, Path]]]:
    """Return its kind, and its file with its name in the archive; nothing where there is none."""
    database, saved = open_database(settings), folder / SAVED
    if not database.exists():
        return "", []
    database.save(saved, with_secrets=with_secrets)
    return database.kind, [(DATABASE, saved)]
