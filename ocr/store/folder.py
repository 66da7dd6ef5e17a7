"""Whole folders in and out of a store: bundles and snapshots, their manifest last."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from filelock import FileLock

from ocr.errors import ArtifactExists, ArtifactNotFound, BadData, BadInput
from ocr.store.key import check_key, check_prefix
from ocr.store.protocol import Store
from ocr.store.whole import remove_whole, sha256_of

MANIFEST = "manifest.json"
POINTER = "published.json"
_DIGITS = 16
"""Of the digest of its manifest that name a published folder."""
USED = "used"


def upload_folder(store: Store, folder: Path, *, prefix: str, last: str = MANIFEST) -> None:
    """Store every file of a folder under `prefix`, `last` when all others are there.

    Killed anywhere, the next call continues.

    Raises:
        BadInput: `last` is missing, or the folder holds a link or a name that is no key.
        ArtifactExists: A key holds other content.
    """
    files = _list_complete(folder, last=last)
    for file in files:
        check_key(f"{prefix}/{file}")
    for file in files:
        store.put_file(f"{prefix}/{file}", folder / file)


def publish_folder(store: Store, folder: Path, *, key: str) -> str:
    """Store a complete folder under a prefix of its content, then let `key` name that prefix.

    The first to complete counts. Half an upload of another machine, which made other bytes of the
    same inputs, is in nobody's way. Killed anywhere, the next call continues.

    Returns:
        The prefix of what is published as `key`: this folder, or what was there before.

    Raises:
        BadInput: As `upload_folder` does.
        ArtifactExists: The folder is not what its manifest said when it was stored.
    """
    _list_complete(folder, last=MANIFEST)
    prefix = f"{key}/{sha256_of(folder / MANIFEST)[:_DIGITS]}"
    mark_used(store, prefix=key)
    found = find_published(store, key=key)
    if found and found != prefix:
        return found
    upload_folder(store, folder, prefix=prefix)
    try:
        store.put_bytes(f"{key}/{POINTER}", json.dumps({"prefix": prefix}).encode())
    except ArtifactExists:  # another machine was faster
        return find_published(store, key=key) or prefix
    return prefix


def mark_used(store: Store, *, prefix: str) -> None:
    """Note, once a day, that what lies under a prefix is in use: nobody prunes it then.

    Whoever is going to rely on something old that it finds, or to complete what may be there in
    part, marks it before it looks.
    """
    store.put_bytes(f"{USED}/{prefix}/{datetime.now(UTC):%Y-%m-%d}.json", b"{}")


def name_copies(uri: str) -> str:
    """Return what the folder is called in which a machine has its copies of a store."""
    return hashlib.sha256(uri.encode()).hexdigest()[:12]


def find_published(store: Store, *, key: str) -> str | None:
    """Return the prefix of the folder that was published as `key`, None before that.

    Raises:
        BadData: What names it is damaged.
    """
    try:
        said = json.loads(store.read_bytes(f"{key}/{POINTER}"))
        return check_prefix(said["prefix"]).rstrip("/")
    except ArtifactNotFound:  # an upload is under way, or was given up
        return None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadData(f"{store.uri}/{key}/{POINTER} names no prefix: {error!r}") from error


def check_manifest(store: Store, *, prefix: str) -> bytes:
    """Compare the manifest of a published folder with its digest, which the prefix names.

    Returns:
        The manifest.

    Raises:
        ArtifactNotFound: There is none.
        BadData: It was changed since it was stored.
    """
    manifest, source = store.read_bytes(f"{prefix}/{MANIFEST}"), f"{store.uri}/{prefix}/{MANIFEST}"
    found = hashlib.sha256(manifest).hexdigest()
    if found[:_DIGITS] != prefix.rpartition("/")[2]:
        raise BadData(
            f"{source} was changed since it was stored: its SHA-256 is {found}, expected the "
            "folder's name at its start; put it back from a backup"
        )
    return manifest


def seal_folder(folder: Path) -> None:
    """Write the manifest that names every file of a folder with its digest."""
    files = {name: sha256_of(folder / name) for name in sorted(_files(folder)) if name != MANIFEST}
    (folder / MANIFEST).write_text(json.dumps({"files": files}, indent=1), encoding="utf-8")


def download_folder(
    store: Store, *, prefix: str, folder: Path, last: str = MANIFEST, only: Collection[str] = ()
) -> Path:
    """Copy what is under `prefix` to `folder`, which appears complete or not at all.

    When the manifest `last` has `"files": {path: sha256}`, exactly those files are copied and
    verified; with `only`, none but these of them. A folder that is already there and complete is
    returned at once.

    Raises:
        ArtifactNotFound: There is no manifest, or a file that it names is gone.
        ArtifactExists: `folder` holds something else.
        BadData: A file is not what the manifest says.
    """
    if (folder / last).is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f".{uuid4().hex}.part")
    try:
        _download(store, prefix=prefix, folder=part, last=last, only=only)
        _publish(part, folder, last=last)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def download_published(store: Store, *, prefix: str, folder: Path) -> Path:
    """Copy a published folder as `download_verified` does.

    Raises:
        BadData: Its manifest was changed since it was stored, or names no file.
        ArtifactExists: A folder cannot be replaced; it is as it was.
    """
    manifest = check_manifest(store, prefix=prefix)
    digests = _digests(manifest, source=f"{store.uri}/{prefix}")
    if not digests or not all(digests.values()):
        raise BadData(
            f'{store.uri}/{prefix}/{MANIFEST} names no digest of its "files", so that they cannot '
            "be verified; register the version again, from its bundle"
        )
    return download_verified(store, manifest, prefix=prefix, folder=folder)


def download_verified(
    store: Store, manifest: bytes, *, prefix: str, folder: Path, only: Collection[str] = ()
) -> Path:
    """Copy what is under `prefix` as `download_folder` does, and look at it where it is there.

    A folder that is there is replaced where a file of it was changed or added, or where it is of
    another one, which had its name before it was pruned.

    Args:
        store: Holds the folder.
        manifest: What the store has as its manifest.
        prefix: Where in the store.
        folder: Where the copy is, or goes.
        only: Copy none but these files.

    Raises:
        ArtifactExists: A folder cannot be replaced; it is as it was.
    """
    if not (folder / MANIFEST).is_file():
        return download_folder(store, prefix=prefix, folder=folder, only=only)
    named = _digests(manifest, source=f"{store.uri}/{prefix}")
    digests = {file: sha256 for file, sha256 in named.items() if not only or file in only}
    if not _is_copy(folder, manifest, digests):
        with FileLock(folder.with_name(f".{folder.name}.lock")):  # others may be about it, too
            if not _is_copy(folder, manifest, digests):
                _replace(folder, store=store, prefix=prefix, only=only)
    return folder


def _is_copy(folder: Path, manifest: bytes, digests: Mapping[str, str]) -> bool:
    try:
        if (folder / MANIFEST).read_bytes() != manifest:
            return False
        files = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
        found = {path.relative_to(folder).as_posix(): path for path in files}
        found.pop(MANIFEST, None)
        return found.keys() == digests.keys() and all(
            path.is_file() and not path.is_symlink() and sha256_of(path) == digests[file]
            for file, path in found.items()
        )
    except OSError:  # it is taken away this moment, or cannot be read
        return False


def _replace(folder: Path, *, store: Store, prefix: str, only: Collection[str]) -> None:
    """Copy anew what is under `prefix`, and only then remove what is in its place."""
    fresh = folder.with_name(f".{uuid4().hex}.part")
    try:
        download_folder(store, prefix=prefix, folder=fresh, only=only)
        _remove(folder)
        _publish(fresh, folder, last=MANIFEST)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _remove(folder: Path) -> None:
    try:
        remove_whole(folder)
    except FileNotFoundError:  # another process was faster
        return
    except OSError as error:
        raise ArtifactExists(
            f"{folder} is no copy of what the store has and cannot be removed: "
            f"{error.strerror}; remove it"
        ) from error


def _list_complete(folder: Path, *, last: str) -> list[str]:
    """List the files of a folder, `last` at the end."""
    files = sorted(_files(folder), key=lambda file: (file == last, file))
    if last not in files:
        raise BadInput(f"{folder} holds no {last}, so it is not complete")
    return files


def _files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_symlink():
            raise BadInput(f"{path} is a link; a stored folder holds files only")
        if path.is_file():
            yield path.relative_to(folder).as_posix()


def _download(store: Store, *, prefix: str, folder: Path, last: str, only: Collection[str]) -> None:
    folder.mkdir()
    digests = _digests(store.read_bytes(f"{prefix}/{last}"), source=f"{prefix}/{last}")
    if not digests:
        digests = dict.fromkeys((key[len(prefix) + 1 :] for key in store.list(prefix)), "")
    for file, digest in digests.items():
        if only and file not in only:
            continue
        path = folder / check_key(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        store.get_file(f"{prefix}/{file}", path)
        if digest and sha256_of(path) != digest:
            raise BadData(f"{store.uri}/{prefix}/{file} is damaged: not sha256 {digest}")
    store.get_file(f"{prefix}/{last}", folder / last)


def _digests(manifest: bytes, *, source: str) -> dict[str, str]:
    try:
        files = json.loads(manifest).get("files", {})
    except (ValueError, AttributeError) as error:
        raise BadData(f"{source} is no JSON object: {error}") from error
    if not isinstance(files, dict) or not all(isinstance(sha, str) for sha in files.values()):
        raise BadData(f'{source}: expected "files" as {{path: sha256}}')
    return files


def _publish(part: Path, folder: Path, *, last: str) -> None:
    try:
        part.rename(folder)
    except OSError as error:
        if (folder / last).is_file():  # another process was faster
            return
        raise ArtifactExists(f"{folder} is in the way: not a complete copy; remove it") from error
