"""Images in LMDB files, named by the folder of the file and their key: `train/image-000000001`.

LMDB follows the numbers in a file without a doubt: a damaged one would end this process with a
signal. So a file is verified, which takes 10 µs an image, before it is opened.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import lmdb
from lmdb.verify import VerifyError, _Verifier

from ocr.dataset.roots.folder import FolderRoot
from ocr.errors import BadData
from ocr.image.folder import FileStamp, refuse_large, stamp_of
from ocr.image.pixels import BadImage

DATA = "data.mdb"

# What the verifier finds where a value was replaced by a shorter one, whose pages stay as many, or
# where a writer was killed. Reading depends on none of it.
_HARMLESS = re.compile(r"header mp_pages \d+ != OVPAGES|overflow pages, record says|-- a leak")

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
        """Return what stamps an image: size and times of change of its LMDB file."""
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
    with (
        _OPENING,
        lmdb.open(str(folder), readonly=True, lock=False, create=False, readahead=False) as file,
        file.begin(buffers=True) as found,
    ):
        yield found


def stamp_lmdb(folder: Path) -> FileStamp | None:
    """Size and times of change of the LMDB file in a folder; None where there is none."""
    try:
        state = (folder / DATA).stat()
    except OSError:
        return None
    return stamp_of(state)


@lru_cache(maxsize=256)
def _verify(folder: Path, _: FileStamp | None) -> None:
    """Verify a file once; its stamp tells one content of the file from another."""
    try:
        with (folder / DATA).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            faults = _Reader(file, size).verify()  # type: ignore[no-untyped-call]
    except (VerifyError, OSError) as error:
        faults = [str(error)]
    if faults:
        raise BadData(f"{folder / DATA} is damaged, or no LMDB file: {faults[0]}; write it again")


class _Reader(_Verifier):
    """Verifies all that reading depends on."""

    def err(self, msg: str) -> None:
        """Note a fault; of too many, harmless or not, it would note no more and look no further."""
        if not _HARMLESS.search(msg):
            super().err(msg)  # type: ignore[no-untyped-call]

    def _mark_live(self, pgno: int, what: str) -> bool:
        """Note that a page is in use; of a long value it looks into the first page only."""
        if (pgno + 1) * self.psize > self.filesize:
            self.err(f"{what} page {pgno} is beyond the end of the file")
        return bool(super()._mark_live(pgno, what))  # type: ignore[no-untyped-call]
