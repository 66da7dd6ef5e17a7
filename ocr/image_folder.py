"""The folder a dataset's image paths are relative to; nothing outside it is ever read."""

import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

from ocr.image import BadImage


class FileStamp(NamedTuple):
    """What changes when a file changes."""

    size: int
    mtime_ns: int


class ImageFolder:
    """Reads images by the paths that label rows name, within one root."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._folders: dict[str, str] = {}

    def read(self, image: str, *, max_bytes: int) -> bytes:
        """Read an image file.

        Args:
            image: Path relative to the root, with forward slashes.
            max_bytes: Largest file read.

        Raises:
            BadImage: outside_root (absolute, leaving the root, or a link that does),
                missing_image, or unreadable_image (no plain file, no permission, too large).
        """
        located = self.locate(image)
        try:
            # O_NONBLOCK: opening a pipe must not wait for a writer.
            file = os.open(located, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _open_failure(image, error) from error
        try:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                raise BadImage("unreadable_image", f"{image!r} is not a plain file")
            if state.st_size > max_bytes:
                raise BadImage(
                    "unreadable_image", f"{image!r} has {state.st_size} bytes, allowed {max_bytes}"
                )
            return _read_all(file, state.st_size)
        except OSError as error:
            raise BadImage("unreadable_image", f"{image!r}: {error.strerror}") from error
        finally:
            os.close(file)

    def stamp(self, image: str) -> FileStamp | None:
        """Size and time of change, None where nothing can be read."""
        try:
            state = os.stat(self.locate(image))  # noqa: PTH116 - a Path per row costs more than the call
        except (BadImage, OSError):
            return None
        return FileStamp(state.st_size, state.st_mtime_ns)

    def locate(self, image: str) -> str:
        """Absolute path of an image.

        Raises:
            BadImage: outside_root, or missing_image for a name no file can have.
        """
        if "\0" in image or not _is_encodable(image):
            raise BadImage("missing_image", f"no file can be named {image!r}")
        folder, _, name = image.rpartition("/")
        located = f"{self._resolve(folder, image)}/{name}"
        if name in ("", ".", "..") or os.path.islink(located):  # noqa: PTH114 - see stamp
            located = os.path.realpath(located)
            self._check_inside(located, image)
        return located

    def _resolve(self, folder: str, image: str) -> str:
        if image.startswith("/"):
            raise BadImage("outside_root", f"{image!r} is absolute, expected relative to the root")
        if folder not in self._folders:
            resolved = os.path.realpath(f"{self._root}/{folder}")
            self._check_inside(resolved, image)
            self._folders[folder] = resolved
        return self._folders[folder]

    def _check_inside(self, resolved: str, image: str) -> None:
        if resolved != self._root and not resolved.startswith(self._root.rstrip("/") + "/"):
            raise BadImage("outside_root", f"{image!r} leads out of the root")


def _is_encodable(image: str) -> bool:
    try:
        os.fsencode(image)
    except UnicodeEncodeError:
        return False
    return True


def _read_all(file: int, size: int) -> bytes:
    data = os.read(file, size + 1)
    if len(data) >= size:
        return data
    parts = [data]
    while data := os.read(file, size + 1):
        parts.append(data)
    return b"".join(parts)


def _open_failure(image: str, error: OSError) -> BadImage:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return BadImage("missing_image", f"no file {image!r}")
    return BadImage("unreadable_image", f"{image!r}: {error.strerror}")
