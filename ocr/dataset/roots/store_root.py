"""A folder of an object store as a dataset's root: `s3://bucket/scans`."""

import os
import posixpath
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from ocr.dataset.roots.folder import open_beside
from ocr.dataset.roots.inner_name import inner_name
from ocr.dataset.roots.listing import walk_names
from ocr.dataset.roots.spelling import SpelledImages
from ocr.dataset.roots.undecoded import is_decoded
from ocr.errors import ArtifactNotFound, BadInput, StoreRefused
from ocr.image.folder import FileStamp, max_file_bytes, refuse_large
from ocr.image.pixels import BadImage
from ocr.store import S3Credentials, Store, open_store


@dataclass(frozen=True)
class StoreRoot:
    """Objects in a bucket; a label file may also lie on this machine, under its absolute path.

    Attributes:
        uri: Address of the bucket and the folder in it.
        s3: How to reach the server.
    """

    uri: str
    s3: S3Credentials

    @contextmanager
    def images(self) -> Iterator[SpelledImages]:
        """Open the images; each is asked for by itself."""
        yield SpelledImages(StoreImages(self._store()))

    def stamps(self) -> Callable[[str], FileStamp | None]:
        """Return what stamps all images: their size together, and a digest of what is listed.

        Not the last change alone: of an object that is removed, an older version comes back.
        """
        size = content = 0
        for entry in self._store().entries(""):
            listed = f"{entry.key}\0{entry.tag}\0{entry.modified}".encode()
            size += entry.size
            content ^= int.from_bytes(blake2b(listed, digest_size=8).digest())  # in no order
        stamp = FileStamp(size, content)
        return lambda _: stamp

    def content(self) -> list[str]:
        """Return nothing: every object decides for itself, and others may join meanwhile."""
        return []

    def list_files(self, folder: str) -> Iterator[str]:
        """Yield the names of the objects in a folder, its own first.

        Raises:
            BadInput: No store can hold a folder of that name, or its bucket is not there.
        """
        place, store = posixpath.normpath(folder), self._store()
        names = walk_names(store.list("" if place == "." else place), place)
        if not names and not _is_there(store):
            raise BadInput(
                f"{self.uri}: there is no such bucket on {self.s3.endpoint}; look at its spelling "
                "and at MINIO_ENDPOINT"
            )
        yield from names

    def has_folder(self, name: str) -> bool:
        """Tell whether there is an object in a folder of that name.

        Raises:
            BadInput: No store can hold a folder of that name.
        """
        place = posixpath.normpath(name)
        return any(True for _ in self._store().entries("" if place == "." else place))

    def open_listed(self, name: str) -> BinaryIO:
        """Open a copy of an object that `list_files` found.

        Raises:
            ArtifactNotFound: It is gone.
        """
        return self.open_file(name)

    def open_file(self, name: str) -> BinaryIO:
        """Open a copy of a label file, which is gone when it is closed.

        Raises:
            ArtifactNotFound: There is none of that name.
            BadInput: The address names no bucket, or there are no keys to it.
        """
        if name.startswith("/"):
            return open_beside(Path("/"), name)
        with tempfile.TemporaryDirectory() as folder:
            copy, store = Path(folder, "copy"), self._store()
            try:
                store.get_file(posixpath.normpath(name), copy)
            except (ArtifactNotFound, BadInput) as error:
                raise ArtifactNotFound(f"no label file {self.uri}/{name} ({error})") from error
            return copy.open("rb")

    def __str__(self) -> str:
        return self.uri

    def _store(self) -> Store:
        return _open_store(self.uri, self.s3, os.getpid())


def _is_there(store: Store) -> bool:
    """Tell whether a store is there; a key that may not ask but for a part of it has found one."""
    try:
        return store.is_there()
    except StoreRefused:
        return True


class StoreImages:
    """The images of an object store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image.

        Raises:
            BadImage: outside_root (absolute, or leaving the root), missing_image or
                unreadable_image (too large).
            StoreUnavailable: The store cannot be reached.
        """
        key = _key(image)
        try:
            data = self._store.read_start(key, size=max_file_bytes(max_pixels) + 1)
        except (ArtifactNotFound, BadInput) as error:
            raise BadImage("missing_image", str(error)) from error
        refuse_large(image, len(data), max_pixels=max_pixels)
        return data

    def exists(self, image: str) -> bool:
        """Tell whether there is an object of that name, which is UTF-8."""
        try:
            return is_decoded(image) and self._store.exists(_key(image))
        except (BadImage, BadInput):
            return False


def _key(image: str) -> str:
    """Return the key that a name leads to; one with an empty part is no other's, and refused."""
    name = inner_name(image)
    return image if "//" in image else name


@lru_cache(maxsize=4)
def _open_store(uri: str, s3: S3Credentials, _: int) -> Store:
    """Open a store once a process: no two may share its connections."""
    return open_store(uri, s3=s3)
