"""A tar file as a dataset's root: images are read from where they lie in it."""

import os
import posixpath
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, cast

from ocr.dataset.roots.folder import open_beside
from ocr.dataset.roots.inner_name import inner_name
from ocr.dataset.roots.listing import walk_names
from ocr.dataset.roots.spelling import SpelledImages
from ocr.dataset.roots.tar_index import NO_FILE, TarIndex, index_tar, list_tar
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.folder import FileStamp, refuse_large, shown_path, stamp_of
from ocr.image.pixels import BadImage

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class TarRoot:
    """Images in a tar file, or in one folder of it; label files lie beside it or in it.

    Attributes:
        path: The tar file.
        folder: The folder in it.
        encoding: Of the names in it, where they are not all UTF-8.
    """

    path: Path
    folder: str = "."
    encoding: str = "utf-8"

    @contextmanager
    def images(self) -> Iterator[SpelledImages]:
        """Open the images; a process that is forked meanwhile need not read the headers again.

        Raises:
            BadData: It is compressed, damaged or no tar file, or its names are of another encoding.
        """
        with self._members() as members:
            yield SpelledImages(members)

    def stamps(self) -> Callable[[str], FileStamp | None]:
        """Return what stamps all images: size and times of change of the tar file."""
        stamp = self._stamp()
        return lambda _: stamp

    def content(self) -> list[str]:
        """Return the folder, and size and times of change of the tar file."""
        return [self.folder, repr(self._stamp())]

    def list_files(self, folder: str) -> Iterator[str]:
        """Yield the names of the files in a folder, its own first.

        Raises:
            BadData: The tar file is compressed, damaged or none.
        """
        yield from walk_names(self._names(), self._join(folder))

    def has_folder(self, name: str) -> bool:
        """Tell whether there is a file in a folder of that name.

        Raises:
            BadData: The tar file is compressed, damaged or none.
        """
        start = f"{self._join(name)}/".removeprefix("./")
        return any(each.startswith(start) for each in self._names())

    def open_listed(self, name: str) -> BinaryIO:
        """Open a copy of a file in the tar file, whatever lies beside it.

        Raises:
            ArtifactNotFound: It is a link or no plain file.
        """
        if (copy := self._copy(name)) is None:
            raise ArtifactNotFound(f"{name} in {self.path} is a link or no plain file")
        return copy

    def open_file(self, name: str) -> BinaryIO:
        """Open a label file beside the tar file, or a copy of the one in it.

        Raises:
            ArtifactNotFound: There is none of that name.
            BadData: The tar file cannot be read, or holds another one than lies beside it.
        """
        copy = self._copy(name)
        try:
            beside = open_beside(self.path.parent, name)
        except ArtifactNotFound:
            if copy is None:
                raise ArtifactNotFound(
                    f"no label file {name} in {self.path} and none beside it"
                ) from None
            return copy
        if copy is None:
            return beside
        with beside, copy:
            if not _are_equal(beside, copy):
                raise BadData(
                    f"the label file {self.path.parent / name} is another one than {name} in "
                    f"{self.path}, and either could be meant: remove or rename the one beside it"
                )
        return open_beside(self.path.parent, name)

    @contextmanager
    def _members(self) -> Iterator["TarImages"]:
        index = _read_index(self.path, self.encoding, self._stamp())
        file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield TarImages(file, index, folder=self.folder)
        finally:
            os.close(file)

    def _copy(self, name: str) -> BinaryIO | None:
        with self._members() as members:
            return members.copy_file(name)

    def _names(self) -> tuple[str, ...]:
        return _read_names(self.path, self.encoding, self._stamp())

    def _join(self, folder: str) -> str:
        return posixpath.normpath(f"{self.folder}/{folder}")

    def _stamp(self) -> FileStamp:
        return stamp_of(self.path.stat())


class TarImages:
    """The images of an opened tar file.

    Args:
        file: Its descriptor.
        index: Where its members are.
        folder: Folder in it that names are relative to.
    """

    def __init__(self, file: int, index: TarIndex, *, folder: str) -> None:
        self._file, self._index, self._folder = file, index, folder

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image.

        Raises:
            BadImage: outside_root (absolute, or leaving the root), missing_image or
                unreadable_image (no plain file, too large).
        """
        place = self._index.find(self._join(image))
        if place is None:
            raise BadImage("missing_image", f"no file {shown_path(image)} in the tar file")
        offset, size = place
        if size == NO_FILE:
            advice = "pack it with tar -h --hard-dereference"
            detail = f"{shown_path(image)} is a link or no plain file; {advice}"
            raise BadImage("unreadable_image", detail)
        refuse_large(image, size, max_pixels=max_pixels)
        data = os.pread(self._file, size, offset)
        if len(data) != size:
            detail = f"{shown_path(image)}: the tar file was changed meanwhile"
            raise BadImage("unreadable_image", detail)
        return data

    def exists(self, image: str) -> bool:
        """Tell whether there is a member of that name."""
        try:
            return self._index.find(self._join(image)) is not None
        except BadImage:
            return False

    def copy_file(self, name: str) -> BinaryIO | None:
        """Copy a member to a file that is gone when it is closed; None if there is none."""
        place = None if name.startswith("/") else self._index.find(f"{self._folder}/{name}")
        if place is None or place[1] == NO_FILE:
            return None
        copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - the caller closes it
        offset, left = place
        while left > 0 and (data := os.pread(self._file, min(left, _BLOCK_BYTES), offset)):
            copy.write(data)
            offset, left = offset + len(data), left - len(data)
        copy.seek(0)
        return copy

    def _join(self, image: str) -> str:
        return f"{self._folder}/{inner_name(image)}"


def _are_equal(one: BinaryIO, other: BinaryIO) -> bool:
    blocks = (iter(partial(file.read, _BLOCK_BYTES), b"") for file in (one, other))
    return all(left == right for left, right in zip_longest(*blocks))


@lru_cache(maxsize=2)
def _read_index(path: Path, encoding: str, _: FileStamp) -> TarIndex:
    """Read the headers once; the stamp tells one content of the file from another."""
    return index_tar(path, encoding=encoding)


@lru_cache(maxsize=2)
def _read_names(path: Path, encoding: str, _: FileStamp) -> tuple[str, ...]:
    """Read the names once, as `_read_index` does."""
    return list_tar(path, encoding=encoding)
