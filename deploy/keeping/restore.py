"""A backup back into an empty home, store and database: checked first, then in one direction."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from configs.settings import Settings
from deploy.background import ServiceFailed, find_service
from deploy.keeping.database import DATABASE, Database, open_database
from deploy.keeping.home import GATEWAY_KEYS, place_of
from deploy.memory import FILE, read_memory, write_memory
from deploy.parts.database import find_database
from deploy.services import services_folder
from ocr.backup.objects import IN_MEMORY, restore_object
from ocr.backup.reading import ArchiveReader
from ocr.backup.tar import Member
from ocr.errors import ArtifactExists, BadData, BadInput, OcrError, StoreUnavailable
from ocr.machine.owner import find_owner_of
from ocr.store import S3Credentials, Store, open_store
from ocr.store.key import check_key
from ocr.store.state import PROBE, read_home_mark, unmark_home, write_home_mark
from ocr.store.whole import sha256_of, written_whole

Progress = Callable[[str, int, int], None]
"""Told what is done, how many bytes of it, and of how many at most."""


@dataclass(frozen=True)
class RestoreReport:
    """What was restored.

    Attributes:
        store: Address of the store.
        home: The home.
        objects: Of the store.
        bytes: Of all.
        database: Of which kind; empty: the backup has none.
        secrets: Whether passwords and keys were in it.
        gateway_keys: Whether those were that the gateway knows.
        created: When the backup was made.
    """

    store: str
    home: str
    objects: int
    bytes: int
    database: str
    secrets: bool
    gateway_keys: bool
    created: str


def restore(settings: Settings, path: Path, *, progress: Progress) -> RestoreReport:
    """Check a backup to its last byte, then restore it.

    Until the end the home says that it is being restored, and no other command uses it. Killed
    anywhere, the same call continues.

    Raises:
        ArtifactExists: There is something where it would go.
        BadData: It or its database is damaged, or no backup.
        BadInput: A newer release wrote it, or its database is of another kind.
    """
    archive, home = ArchiveReader(path), settings.home
    store = open_store(settings.store, s3=S3Credentials.of(settings))
    database = open_database(settings)
    _refuse_unfit(archive, database, home)
    _refuse_too_large(archive, store)
    done = 0
    for size in archive.verify(lambda name: _check_name(name, home)):
        done += size
        progress("checking", done, archive.head.bytes)
    if (DATABASE in archive.digests) != bool(archive.head.database):
        raise BadData(f"{path} says it has a database where it has none, or the other way")
    _refuse_other_files(archive, home)
    this = {"restoring": str(path.resolve()), "digest": archive.digest, "store": store.uri}
    said = read_home_mark(home)
    if "restoring" not in said:
        _refuse_small_home(archive, home)
    if said.get("digest") != archive.digest or said.get("store") != store.uri:
        _refuse_taken(home, store, database)
    write_home_mark(home, **this)
    spool = home / ".restoring"
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir(mode=0o700)
    try:
        _prepare(archive, database, spool / "database")
    except (OcrError, ServiceFailed):
        shutil.rmtree(spool)
        if "restoring" not in said:
            unmark_home(home)
        raise
    objects, done = 0, 0
    for member in archive.members():
        _restore_member(member, home, store, database, spool=spool)
        objects += member.name.startswith("store/")
        done += member.size
        progress("restoring", done, archive.head.bytes)
    _remember_where(settings, spool)
    shutil.rmtree(spool)
    write_home_mark(home)
    return RestoreReport(
        store=store.uri,
        home=str(home),
        objects=objects,
        bytes=done,
        database=archive.head.database,
        secrets=archive.head.secrets,
        gateway_keys=f"home/{GATEWAY_KEYS}" in archive.digests,
        created=archive.head.created,
    )


def _prepare(archive: ArchiveReader, database: Database, spool: Path) -> None:
    """Unpack the database, and see that it is one, before anything else is written."""
    for member in archive.members():
        if member.name == DATABASE:
            with written_whole(spool) as file:
                file.writelines(member.pieces())
            database.prepare(spool)
            return  # it is the first


def _restore_member(
    member: Member, home: Path, store: Store, database: Database, *, spool: Path
) -> None:
    if member.name.startswith("store/"):
        key = member.name.removeprefix("store/")
        restore_object(store, key, member, spool=spool / "file")
    elif member.name == DATABASE:
        database.load(spool / "database")
    elif place := place_of(member.name, home):
        if place.name == FILE:  # it says where things were: see _remember_where
            place = spool / FILE
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(Path(os.path.realpath(place))) as file:  # a link stays one
            file.writelines(member.pieces())
        place.chmod(0o600)


def _remember_where(settings: Settings, spool: Path) -> None:
    """Keep what the backup's stack remembers, but for where its store and database were.

    The store is no MinIO server of this home: a home that has had one is not restored into.
    """
    folder = services_folder(settings)
    database = find_database(settings, folder)
    kept = replace(read_memory(spool), has_minio=False, minio_port=0, database=database)
    write_memory(folder, kept)


def _check_name(name: str, home: Path) -> None:
    """Refuse a member that has no place in a home, store or database."""
    folder, _, rest = name.partition("/")
    if folder == "store":
        check_key(rest)
    elif name != DATABASE and not (folder == "home" and place_of(name, home)):
        raise BadData(f"The archive holds {name!r}, which has no place in a backup")


def _refuse_unfit(archive: ArchiveReader, database: Database, home: Path) -> None:
    head = archive.head
    if running := find_service(home / "services", "prefect"):
        raise BadInput(
            f"Prefect's server of {home} runs (process {running.pid}): ocrline down first"
        )
    if owner := find_owner_of(home):
        raise BadInput(f"A gateway or worker runs, {owner}: stop it first")
    if head.database and head.database != database.kind:
        raise BadInput(
            f"The backup's database is of {head.database}, OCRLINE_DATABASE names {database.kind}: "
            f"{'unset it' if head.database == 'sqlite' else 'set it to an empty database'}"
        )


def _refuse_too_large(archive: ArchiveReader, store: Store) -> None:
    """Refuse what says itself that it does not fit on the disk of a store in a folder."""
    if not store.uri.startswith("file://"):
        return
    size, free = archive.head.bytes, _free_bytes(Path(store.uri.removeprefix("file://")))
    if size > free:
        raise StoreUnavailable(
            f"The backup says it holds {size / 1e9:.2f} GB, {free / 1e9:.2f} GB are free for "
            f"{store.uri}: free some or use another place"
        )


def _refuse_small_home(archive: ArchiveReader, home: Path) -> None:
    """Refuse a home whose disk does not hold what passes through it, wherever the store is."""
    sizes = archive.sizes
    largest = max((sizes[name] for name in sizes if name.startswith("store/")), default=0)
    size, free = sizes.get(DATABASE, 0) + largest * (largest > IN_MEMORY), _free_bytes(home)
    if size > free:
        raise StoreUnavailable(
            f"The database and the largest object of the backup are {size / 1e9:.3f} GB, "
            f"{free / 1e9:.3f} GB are free for {home}: free some or name another OCRLINE_HOME"
        )


def _free_bytes(folder: Path) -> int:
    """Return how much its disk takes, of a folder that may not be there yet."""
    there = next(each for each in (folder, *folder.parents) if each.is_dir())
    return shutil.disk_usage(there).free


def _refuse_other_files(archive: ArchiveReader, home: Path) -> None:
    """Replace no keys or addresses that a person has put there since: these may be revoked."""
    places = ((place_of(name, home), digest) for name, digest in archive.digests.items())
    others = [
        str(place)
        for place, digest in places
        if place and place.name != FILE and _is_other(place, digest)
    ]
    if others:
        raise ArtifactExists(
            f"There already, with other content than in the backup: {', '.join(others)}; move "
            "away what is there, or name another OCRLINE_HOME"
        )


def _is_other(place: Path, digest: str) -> bool:
    if not place.is_file():
        return os.path.lexists(place)
    return sha256_of(place) != digest


def _refuse_taken(home: Path, store: Store, database: Database) -> None:
    """Restore beside nothing: neither what is there nor what comes would be whole."""
    if any(entry.key != PROBE for entry in store.entries("")):
        raise ArtifactExists(f"{store.uri} is not empty: name another store with --store")
    if any(home.glob("services/*.json")) or database.exists():
        raise ArtifactExists(f"{home} has a database already: name another OCRLINE_HOME")
