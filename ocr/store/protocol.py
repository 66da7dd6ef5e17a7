"""What every store can do, and the keys to an S3 server."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

READ_TIMEOUT_S: Final = 15.0
"""A server that is silent for so long, twice, does not answer."""
ASKED_TIMEOUT_S: Final = 2.0
"""The same where a person waits to be told so."""
SMALL_BYTES: Final = 64 * 2**20
"""No object that is read into memory whole has more, where its reader says nothing else."""


class S3Settings(Protocol):
    """The settings of a process, as far as an S3 server goes; read-only."""

    @property
    def s3_endpoint(self) -> str: ...  # noqa: D102 - as in S3Credentials
    @property
    def s3_access_key(self) -> str: ...  # noqa: D102
    @property
    def s3_secret_key(self) -> str: ...  # noqa: D102
    @property
    def s3_region(self) -> str: ...  # noqa: D102
    @property
    def s3_secure(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True)
class S3Credentials:
    """How to reach an S3 server; `endpoint` is HOST:PORT, the secret never shows in a repr."""

    endpoint: str
    access_key: str
    secret_key: str = field(repr=False)
    region: str = "us-east-1"
    secure: bool = False

    @classmethod
    def of(cls, settings: S3Settings) -> "S3Credentials":
        """Take them from the settings of a process."""
        return cls(
            endpoint=settings.s3_endpoint,
            access_key=settings.s3_access_key,
            secret_key=settings.s3_secret_key,
            region=settings.s3_region,
            secure=settings.s3_secure,
        )


@dataclass(frozen=True)
class Entry:
    """An object seen from outside.

    Attributes:
        key: Its key.
        size: Bytes.
        modified: When it was written (epoch, s).
        tag: Changes with the content; empty where the store would have to read that to know.
    """

    key: str
    size: int
    modified: float
    tag: str = ""


class Store(Protocol):
    """Objects by key: written once and whole, except those moved by `compare_and_swap`.

    Keys follow `ocr.store.key`. An object is either invisible or complete, also when its writer
    is killed. Every method raises StoreUnavailable when the store cannot be reached, refuses the
    credentials or is full, and BadInput for a malformed key.
    """

    uri: str

    def is_there(self) -> bool:
        """Tell whether its bucket or folder is there; the first write makes it."""

    def put_bytes(self, key: str, data: bytes) -> None:
        """Store an object; storing the same content again does nothing.

        Raises:
            ArtifactExists: The key holds other content.
        """

    def put_file(self, key: str, path: Path) -> None:
        """Store a file of any size as `put_bytes` does, in bounded memory."""

    def read_bytes(self, key: str, *, most: int = SMALL_BYTES) -> bytes:
        """Read a whole object of at most `most` bytes.

        Raises:
            ArtifactNotFound: The store holds no such key.
            BadData: The object is larger; no more of it was read.
        """

    def read_start(self, key: str, *, size: int) -> bytes:
        """Read the first `size` bytes; all of a shorter object.

        Raises:
            ArtifactNotFound: The store holds no such key.
        """

    def read_range(self, key: str, *, offset: int, size: int) -> bytes:
        """Read exactly `size` bytes from `offset`.

        Raises:
            ArtifactNotFound: The store holds no such key.
            BadInput: The object ends before `offset + size`.
        """

    def get_file(self, key: str, path: Path) -> None:
        """Copy an object to `path`, which shows the whole content or nothing of it.

        Raises:
            ArtifactNotFound: The store holds no such key.
        """

    def exists(self, key: str) -> bool:
        """Tell whether the store holds the key."""

    def list(self, prefix: str) -> Iterator[str]:
        """Yield the keys under the folder `prefix` ("" is the whole store), sorted."""

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yield what `list` does, with sizes and times, in no order."""

    def remove(self, key: str) -> None:
        """Remove an object; its key is free again. One that is not there is none."""

    def folders(self, prefix: str) -> Iterator[str]:
        """Yield the names of the folders right under the folder `prefix`, sorted.

        Those that no key may lie in, as what others put there by hand, are left out.
        """

    def read_tagged(self, key: str, *, most: int = SMALL_BYTES) -> tuple[bytes, str]:
        """Read an object, as `read_bytes` does, and the tag that `compare_and_swap` expects."""

    def compare_and_swap(self, key: str, data: bytes, *, expected: str | None) -> str:
        """Replace the object if its tag is still `expected` (None: if it does not exist yet).

        Of any number of writers that expect the same tag, exactly one succeeds.

        Returns:
            The new tag.

        Raises:
            AliasMoved: Somebody else wrote the object since it was read.
        """
