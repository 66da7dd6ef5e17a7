"""The folder a dataset's image paths are relative to; nothing outside it is ever read."""

import errno
import os
import posixpath
import stat
from pathlib import Path
from typing import NamedTuple

from ocr.errors import StoreUnavailable
from ocr.image.pixels import BadImage

LONGEST_PATH = 4096  # PATH_MAX of Linux; a key of S3 has at most 1,024 bytes
_MOST_FOLDERS = 64
"""Of a path: to look for it by its spellings takes the cube of them."""
# O_NONBLOCK: opening a pipe must not wait for a writer.
OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
# The last two: a share or disk on which none can be named so.
_NO_NAME = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
_BYTES_PER_PIXEL = 8
_METADATA_BYTES = 1 << 20


class FileStamp(NamedTuple):
    """What changes when a file changes.

    Attributes:
        size: In bytes.
        changed: When its content changed (ns), or another sign of it.
        touched: When that, its name or its rights changed (ns); 0: nobody knows. What is moved or
            copied there with the time of its content has another one.
    """

    size: int
    changed: int
    touched: int = 0


def stamp_of(state: os.stat_result) -> FileStamp:
    """Return the stamp of a file of this machine; not its inode, which a share gives anew."""
    return FileStamp(state.st_size, state.st_mtime_ns, state.st_ctime_ns)


class TooLarge(BadImage):
    """A file that is larger than any image that is allowed."""


class ImageFolder:
    """Reads images by the paths that label rows name, within one root."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._folders: dict[str, str] = {}

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read an image file.

        Args:
            image: Path relative to the root, with forward slashes.
            max_pixels: Largest image; what is larger is refused, see `refuse_large`.

        Raises:
            BadImage: outside_root (absolute, leaving the root, or a link that does),
                missing_image, or unreadable_image (no plain file, no permission, too large).
            StoreUnavailable: There is one, but this machine cannot read it now.
        """
        file = self._open(image)
        try:
            if not lies_within(file, self._root):
                raise BadImage("outside_root", f"{shown_path(image)} leads out of the root")
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                raise BadImage("unreadable_image", f"{shown_path(image)} is not a plain file")
            refuse_large(image, state.st_size, max_pixels=max_pixels)
            return _read_all(file, state.st_size)
        except OSError as error:
            raise self._failure(image, error) from error
        finally:
            os.close(file)

    def exists(self, image: str) -> bool:
        """Tell whether there is a file, or anything else, of that name within the root."""
        return self._look_at(image) is not None

    def stamp(self, image: str) -> FileStamp | None:
        """Size and times of change, None where nothing can be read.

        A permission to a folder that is given later changes none, and so is asked for.
        """
        state = self._look_at(image, readable=True)
        return stamp_of(state) if state else None

    def _look_at(self, image: str, *, readable: bool = False) -> os.stat_result | None:
        try:
            path = self._join(image)
            state = os.lstat(path)
            if stat.S_ISLNK(state.st_mode):
                path = self.locate(image)
                state = os.stat(path)  # noqa: PTH116 - a Path costs more than the call
            return None if readable and not os.access(path, os.R_OK) else state
        except (BadImage, OSError, ValueError):
            return None

    def locate(self, image: str) -> str:
        """Absolute path of an image, links followed.

        Raises:
            BadImage: outside_root, or missing_image for a name no file can have.
        """
        located = _resolve_links(self._join(image), image)
        self._check_inside(located, image)
        return located

    def _open(self, image: str) -> int:
        located = self._join(image)
        try:
            return os.open(located, OPEN_FLAGS)
        except ValueError as error:
            raise _impossible_name(image) from error
        except OSError as error:
            if error.errno != errno.ELOOP:  # not a link
                raise self._failure(image, error) from error
        try:
            return os.open(self.locate(image), OPEN_FLAGS)
        except OSError as error:
            raise self._failure(image, error) from error

    def _failure(self, image: str, error: OSError) -> BadImage | StoreUnavailable:
        """Tell what is no image from what says nothing of it, as a disk that fails."""
        if error.errno in _NO_NAME:
            return BadImage("missing_image", f"no file {shown_path(image)}")
        if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO):
            return BadImage("unreadable_image", f"{shown_path(image)}: {error.strerror}")
        return StoreUnavailable(
            f"{shown_path(image)} in {self._root}: {error.strerror}; mend that (its disk, its "
            "share) and run this again, or take its row out"
        )

    def _join(self, image: str) -> str:
        """Path of an image whose folder is resolved and whose name may still be a link."""
        folder, _, name = image.rpartition("/")
        if name in ("", ".", ".."):
            folder, name = image, "."
        return f"{self._resolve(folder, image)}/{name}"

    def _resolve(self, folder: str, image: str) -> str:
        if image.startswith("/"):
            detail = f"{shown_path(image)} is absolute, expected relative to the root"
            raise BadImage("outside_root", detail)
        if excess := find_path_excess(image):
            detail = f"{shown_path(image)} {excess}, and so is not looked for"
            raise BadImage("missing_image", detail)
        if folder not in self._folders:
            resolved = _resolve_links(f"{self._root}/{folder}", image)
            self._check_inside(resolved, image)
            self._folders[folder] = resolved
        return self._folders[folder]

    def _check_inside(self, resolved: str, image: str) -> None:
        if resolved != self._root and not resolved.startswith(self._root.rstrip("/") + "/"):
            is_link = not posixpath.normpath(image).startswith("..")
            how = "is a link that leads" if is_link else "leads"
            raise BadImage("outside_root", f"{shown_path(image)} {how} out of the root")


def lies_within(file: int, folder: str) -> bool:
    """Say whether what was opened lies in a folder, which is none by a link, or is that folder.

    Between the look at where a name leads and the opening of it somebody may put a link there.
    """
    opened = os.readlink(f"/proc/self/fd/{file}")  # noqa: PTH115 - of the kernel, it is no link
    return opened == folder or opened.startswith(folder.rstrip("/") + "/")


def find_path_excess(image: str) -> str:
    """Say of what a path has more than anybody's; empty: of nothing."""
    if len(image) > LONGEST_PATH:
        return f"is longer than {LONGEST_PATH:,} characters"
    if image.count("/") > _MOST_FOLDERS:
        return f"is more than {_MOST_FOLDERS} folders deep"
    return ""


def shown_path(image: str) -> str:
    """An image's path for a message: quoted, a backslash as it is written."""
    return repr(image).replace("\\\\", "\\")


def max_file_bytes(max_pixels: int) -> int:
    """Size of a file of so many pixels of 16-bit RGBA, with room for metadata."""
    return max_pixels * _BYTES_PER_PIXEL + _METADATA_BYTES


def pixels_within(max_bytes: int) -> int:
    """Return of how many pixels an image may be whose file has so many bytes, at least one."""
    return max(1, (max_bytes - _METADATA_BYTES) // _BYTES_PER_PIXEL)


def refuse_large(image: str, size: int, *, max_pixels: int) -> None:
    """Refuse a file that is larger than an image of so many pixels needs.

    Args:
        image: Its name, for the message.
        size: Bytes.
        max_pixels: Largest image.

    Raises:
        TooLarge: unreadable_image.
    """
    max_bytes = max_file_bytes(max_pixels)
    if size > max_bytes:
        detail = f"{shown_path(image)} has {size} bytes, allowed {max_bytes}"
        raise TooLarge("unreadable_image", detail)


def _read_all(file: int, size: int) -> bytes:
    data = os.read(file, size + 1)
    if len(data) >= size:
        return data
    parts = [data]
    while data := os.read(file, size + 1):
        parts.append(data)
    return b"".join(parts)


def _resolve_links(path: str, image: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError as error:
        raise _impossible_name(image) from error


def _impossible_name(image: str) -> BadImage:
    return BadImage("missing_image", f"no file can be named {shown_path(image)}")
