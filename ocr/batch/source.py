"""What is to be read: each file with what tells its content from any other."""

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Final, Protocol

from ocr.dataset.roots import FolderRoot, TarRoot, find_root
from ocr.dataset.roots.inner_name import inner_name
from ocr.dataset.roots.listing import walk_links
from ocr.errors import ArtifactNotFound, BadData, BadInput
from ocr.image.folder import TooLarge, pixels_within
from ocr.image.header import IMAGE_SUFFIXES
from ocr.image.pixels import BadImage
from ocr.processors import count_processors
from ocr.store import S3Credentials, Store, open_store

SUFFIXES: Final = (*IMAGE_SUFFIXES, ".pdf")
_AT_ONCE = 256


@dataclass(frozen=True)
class InputFile:
    """One file.

    Attributes:
        path: Relative to the source, with forward slashes.
        size: Bytes; 0 where it was not opened.
        content: SHA-256 of its bytes, or the ETag of an object; empty: it was not opened, or could
            not be read.
    """

    path: str
    size: int
    content: str

    @property
    def is_known(self) -> bool:
        """Whether its name ends as those of images and PDFs do."""
        return self.path.lower().endswith(SUFFIXES)

    @property
    def is_linked_folder(self) -> bool:
        """Whether it is a folder out of the source, which is not followed."""
        return self.path.endswith("/")


class Unreadable(Exception):
    """A file without content: why in one word and in a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Source(Protocol):
    """Where the files are. It can be pickled, and opened by any process."""

    def list(self, *, max_bytes: int) -> Iterator[InputFile]:
        """Yield every file that is not hidden, in one order; what is larger is not opened."""

    def read(self, file: InputFile, *, max_bytes: int) -> bytes:
        """Read a file as it was listed.

        Raises:
            Unreadable: It cannot be read, is too large, or was changed since.
            StoreUnavailable: The store cannot be reached.
        """


@dataclass(frozen=True)
class FileSource:
    """A folder of this machine, a tar file, or a folder in one."""

    root: FolderRoot | TarRoot

    def list(self, *, max_bytes: int) -> Iterator[InputFile]:
        """Yield every file; images and PDFs are opened to know their content.

        Linked folders come last, with a slash behind their names.
        """
        names = chain(self.root.list_files("."), self._list_links())
        describe = partial(self.describe, max_bytes=max_bytes)
        with (
            self.root.images(),  # once before: the threads find the index of a tar file read
            ThreadPoolExecutor(count_processors()) as threads,  # a digest takes no lock
        ):
            for block in iter(lambda: list(islice(names, _AT_ONCE)), []):
                yield from threads.map(describe, block)

    def read(self, file: InputFile, *, max_bytes: int) -> bytes:
        """Read a file as it was listed."""
        data = self._read(file.path, max_bytes)
        if hashlib.sha256(data).hexdigest() != file.content:
            raise _changed(file)
        return data

    def _list_links(self) -> Iterator[str]:
        if isinstance(self.root, FolderRoot):
            top = self.root.path
            for link in walk_links(top):
                yield f"{link.relative_to(top).as_posix()}/"

    def describe(self, path: str, *, max_bytes: int) -> InputFile:
        """Say what tells the content of a file from any other."""
        file = InputFile(path, 0, "")
        if not file.is_known:
            return file
        try:
            data = self._read(path, max_bytes)
        except Unreadable:  # it is met again when it is read
            return file
        return InputFile(path, len(data), hashlib.sha256(data).hexdigest())

    def _read(self, path: str, max_bytes: int) -> bytes:
        try:
            with self.root.images() as images:
                return images.read(path, max_pixels=pixels_within(max_bytes))
        except TooLarge as error:
            raise Unreadable("too_large", str(error)) from None
        except BadImage as error:
            raise Unreadable(error.reason, str(error)) from None


@dataclass(frozen=True)
class StoreSource:
    """Objects of a store: `s3://bucket/scans`."""

    uri: str
    s3: S3Credentials

    def list(self, *, max_bytes: int) -> Iterator[InputFile]:  # noqa: ARG002
        """Yield every object; none is opened, as the server knows their ETags.

        One whose name ends with a slash is a folder, as consoles of buckets make them.
        """
        for entry in sorted(self._store().entries(""), key=lambda entry: entry.key):
            *folders, name = entry.key.split("/")
            if name and not any(part.startswith(".") for part in (*folders, name)):
                yield InputFile(entry.key, entry.size, entry.tag)

    def read(self, file: InputFile, *, max_bytes: int) -> bytes:
        """Read an object as it was listed."""
        if file.size > max_bytes:
            detail = f"{file.path!r} has {file.size} bytes, allowed {max_bytes}"
            raise Unreadable("too_large", detail)
        try:
            data, tag = self._store().read_tagged(inner_name(file.path), most=file.size)
        except (ArtifactNotFound, BadInput, BadImage) as error:
            raise Unreadable("missing_image", str(error)) from None
        except BadData:  # it grew
            raise _changed(file) from None
        if tag != file.content:
            raise _changed(file)
        return data

    def _store(self) -> Store:
        return _open_store(self.uri, self.s3, os.getpid())


def find_source(written: str, *, s3: S3Credentials) -> Source:
    """Return the source that a path or an address names.

    Raises:
        ArtifactNotFound: There is nothing.
        BadInput: It is an address of another kind, which is not shown: it may hold keys.
    """
    scheme, separator, _ = written.partition("://")
    if separator and scheme != "s3":
        raise BadInput(
            f"The source is an address that starts with {scheme}://; expected a folder, a tar "
            "file or s3://bucket/folder"
        )
    if separator:
        open_store(written, s3=s3)  # refuses an address with keys in it
        return StoreSource(written, s3)
    try:
        root = find_root(Path(written))
    except ArtifactNotFound:
        raise ArtifactNotFound(
            f"no folder and no tar file {written}; name a folder, a tar file or s3://bucket/folder"
        ) from None
    if not isinstance(root, FolderRoot | TarRoot):
        raise BadInput(f"{written} is neither a folder nor a tar file")
    return FileSource(root)


def _changed(file: InputFile) -> Unreadable:
    return Unreadable("changed", f"{file.path!r} was changed after it was listed; run it again")


@lru_cache(maxsize=2)
def _open_store(uri: str, s3: S3Credentials, _: int) -> Store:
    """Open a store once a process: no two may share its connections."""
    return open_store(uri, s3=s3)
