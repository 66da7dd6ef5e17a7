"""Images in LMDB files, named by the folder of the file and their key: `train/image-000000001`.

LMDB follows the numbers in a file without a doubt: a damaged one would end this process with a
signal. So a file is verified, which takes 10 µs an image, before it is opened.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import lmdb
from lmdb.verify import VerifyError, verify

from ocr.dataset.roots.folder import FolderRoot
from ocr.errors import BadData
from ocr.image.folder import FileStamp, refuse_large
from ocr.image.pixels import BadImage

DATA = "data.mdb"

# A process may have a file open once: while one thread has, the others open none and fork none.
_OPENING = threading.RLock()
os.register_at_fork(
    before=_OPENING.acquire,
    after_in_parent=_OPENING.release,
    after_in_child=_OPENING.release,
)


@dataclass(frozen=True)
class LmdbRoot(FolderRoot):
    """A folder of LMDB files, each in a folder of its own."""

    @contextmanager
    def images(self) -> Iterator["LmdbImages"]:  # type: ignore[override]
        """Open the images; a file is opened when the first of its images is read."""
        with ExitStack() as opened:
            yield LmdbImages(self.path, opened)

    def stamps(self) -> Callable[[str], FileStamp | None]:
        """Return what stamps an image: size and time of change of its LMDB file."""
        stamp = cache(lambda folder: stamp_lmdb(self.path / folder))
        return lambda image: stamp(image.rpartition("/")[0])


class LmdbImages:
    """The images of LMDB files.

    Args:
        root: Folder that names are relative to.
        opened: Closes the files that were opened.
    """

    def __init__(self, root: Path, opened: ExitStack) -> None:
        self._root, self._opened = root, opened
        self._files: dict[str, lmdb.Transaction] = {}

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image.

        Raises:
            BadImage: missing_image, or unreadable_image (too large).
            BadData: Its file is damaged.
        """
        content = self._get(image)
        if content is None:
            raise BadImage("missing_image", f"there is no {image.rpartition('/')[2]}")
        refuse_large(image, len(content), max_pixels=max_pixels)
        return bytes(content)

    def exists(self, image: str) -> bool:
        """Tell whether there is such a key."""
        return self._get(image) is not None

    def _get(self, image: str) -> bytes | memoryview | None:
        folder, _, key = image.rpartition("/")
        if folder not in self._files:
            opening = open_lmdb(self._root / folder)
            self._files[folder] = self._opened.enter_context(opening)
        return self._files[folder].get(key.encode())


@contextmanager
def open_lmdb(folder: Path) -> Iterator[lmdb.Transaction]:
    """Open an LMDB file to read from; nothing is locked or written, other threads wait.

    Raises:
        BadData: It is damaged, or no LMDB file.
    """
    _verify(folder, stamp_lmdb(folder))
    with _open(folder) as environment, environment.begin(buffers=True) as found:
        yield found


def stamp_lmdb(folder: Path) -> FileStamp | None:
    """Size and time of change of the LMDB file in a folder; None where there is none."""
    try:
        state = (folder / DATA).stat()
    except OSError:
        return None
    return FileStamp(state.st_size, state.st_mtime_ns)


@contextmanager
def _open(folder: Path) -> Iterator[lmdb.Environment]:
    with (
        _OPENING,
        lmdb.open(
            str(folder), readonly=True, lock=False, create=False, readahead=False
        ) as environment,
    ):
        yield environment


@lru_cache(maxsize=256)
def _verify(folder: Path, stamp: FileStamp | None) -> None:
    """Verify a file once; its stamp tells one content of the file from another."""
    try:
        faults = verify(str(folder), subdir=True)  # type: ignore[no-untyped-call]
        if not faults and stamp is not None:
            with _open(folder) as environment:
                faults = _find_missing_end(environment, stamp.size)
    except (VerifyError, lmdb.Error, OSError) as error:
        faults = [str(error)]
    if faults:
        raise BadData(f"{folder / DATA} is damaged, or no LMDB file: {faults[0]}; write it again")


def _find_missing_end(environment: lmdb.Environment, size: int) -> list[str]:
    """Say how much is missing: `verify` looks at the first page of a long value only."""
    needed = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
    return [f"it has {size} bytes of {needed}"] if size < needed else []
