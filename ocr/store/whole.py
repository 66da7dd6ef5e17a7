"""Files and folders that appear whole or not at all, and are read whole or not at all."""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol
from uuid import uuid4

from ocr.errors import ArtifactExists, BadData, BadInput, StoreUnavailable

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
TAKEN = (errno.EEXIST, errno.ENOTEMPTY)


class Readable(Protocol):
    """A file, or the answer of a server."""

    def read(self, size: int, /) -> bytes: ...  # noqa: D102 - as of files


@contextmanager
def written_whole(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a hidden sibling for writing that takes the place of `path` when the block ends well.

    Args:
        path: The file.
        mode: Who may read and write it from its first moment on, less the umask.

    Raises:
        StoreUnavailable: The disk under `path` is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        with open(part, "xb", opener=partial(os.open, mode=mode)) as file:
            yield file
            make_durable(file)
        part.replace(path)
    except OSError as error:
        if error.errno in FULL:
            raise StoreUnavailable(fault_message(error, target=str(path))) from error
        raise
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """Make a hidden sibling that takes the place of `folder` when the block ends well.

    Raises:
        ArtifactExists: There is something in its place, before or after.
    """
    taken = f"{folder} is there already and may hold somebody's work, expected a new folder"
    if folder.exists() or folder.is_symlink():
        raise ArtifactExists(taken)
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f".{uuid4().hex}.part")
    part.mkdir()
    try:
        yield part
        part.rename(folder)
    except OSError as error:
        if error.errno in TAKEN and folder.exists():  # another run was faster
            raise ArtifactExists(taken) from error
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def remove_whole(path: Path) -> None:
    """Remove a file or a folder, hidden first: killed in between, nobody goes on with the rest.

    What a link leads to stays. A sweep ends what is left hidden.

    Raises:
        OSError: It is not there, or cannot be moved.
    """
    hidden = path.rename(path.with_name(f".{uuid4().hex}.part"))
    if hidden.is_dir() and not hidden.is_symlink():
        shutil.rmtree(hidden, ignore_errors=True)
    else:
        hidden.unlink(missing_ok=True)


def fault_message(error: OSError, *, target: str) -> str:
    """Say what a failed read or write of `target` means and what to do."""
    if error.errno in FULL:
        return f"No space to write {target}; free some or use another place"
    return f"Cannot use {target}: {error.strerror or error}; check the disk and its permissions"


def read_all(source: Readable, *, most: int, name: str) -> bytes:
    """Read what has at most `most` bytes to its end.

    Raises:
        BadData: It has more; nothing beyond the first of these was read.
    """
    data = source.read(most + 1)
    if len(data) > most:
        raise BadData(
            f"{name} has more than {most} bytes, which nothing of its kind has: put it back from a "
            "backup, or remove it"
        )
    return data


def read_plain(path: Path) -> bytes:
    """Read a plain file.

    Raises:
        BadInput: It is another thing, as a pipe, at which one would wait for ever.
        OSError: It cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise BadInput(f"{path} is no plain file")
    return path.read_bytes()


def make_durable(file: BinaryIO) -> None:
    """Wait until the file's content is on the disk, so that no rename can overtake it."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk: what was renamed or made there stays."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """Digest a file in bounded memory, as lower-case hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
