"""A store in a bucket of MinIO or any other S3 server, through the `minio` SDK."""

# ruff: noqa: D102  (the methods are described in Store)
import hashlib
import io
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final
from xml.etree.ElementTree import ParseError

from minio.datatypes import Object
from minio.error import MinioException, S3Error
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from ocr.errors import AliasMoved, ArtifactExists, BadInput, StoreUnavailable
from ocr.store.key import check_key, check_prefix, is_folder
from ocr.store.minio_client import (
    ABSENT,
    DIGEST,
    GONE_UPLOAD,
    MEBIBYTE,
    NO_BUCKET,
    ConditionalMinio,
    connect,
    open_pool,
    translate,
    upload,
)
from ocr.store.protocol import READ_TIMEOUT_S, SMALL_BYTES, Entry, S3Credentials
from ocr.store.whole import read_all, sha256_of, written_whole

BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
IF_NEW: Final = {"If-None-Match": "*"}
LOST: Final = ("PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey")
OWNED: Final = ("BucketAlreadyOwnedByYou", "BucketAlreadyExists")


class MinioStore:
    """A store in a bucket: `prefix/key` is the object; the bucket is made when it is missing.

    Every write carries a condition that the server checks, so neither immutability nor
    compare-and-swap depends on what other writers do.
    """

    def __init__(
        self,
        *,
        bucket: str,
        prefix: str,
        credentials: S3Credentials,
        read_timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        if not BUCKET.fullmatch(bucket):
            message = f"Bucket {bucket!r}: expected 3 to 63 of a-z, 0-9, '-' and '.'"
            raise BadInput(message)
        self._bucket = bucket
        self._prefix = check_prefix(prefix)
        self._credentials = credentials
        self._pool = open_pool(read_timeout_s=read_timeout_s, repeat=True)
        self._pool_once = open_pool(read_timeout_s=read_timeout_s, repeat=False)
        self._client = connect(credentials, pool=self._pool, condition=IF_NEW)
        self.uri = f"s3://{bucket}/{self._prefix}".rstrip("/")

    def is_there(self) -> bool:
        with self._faults(""):
            try:  # by what who may see a part of the bucket may ask as well
                next(iter(self._client.list_objects(self._bucket, self._prefix)), None)
            except S3Error as error:
                if error.code != NO_BUCKET:
                    raise
                return False
        return True

    def put_bytes(self, key: str, data: bytes) -> None:
        self._put(key, io.BytesIO(data), size=len(data), digest=hashlib.sha256(data).hexdigest())

    def put_file(self, key: str, path: Path) -> None:
        if not path.is_file():
            raise BadInput(f"No file to store as {key!r} at {path}")
        digest = sha256_of(path)
        if self.exists(key):  # spares the transfer; the condition alone would refuse it at its end
            self._require(key, digest=digest)
            return
        with path.open("rb") as source:
            self._put(key, source, size=path.stat().st_size, digest=digest)

    def read_bytes(self, key: str, *, most: int = SMALL_BYTES) -> bytes:
        return self.read_tagged(key, most=most)[0]

    def read_start(self, key: str, *, size: int) -> bytes:
        with self._reading(key) as response:
            return response.read(size)

    def read_range(self, key: str, *, offset: int, size: int) -> bytes:
        if offset < 0 or size < 1:
            raise BadInput(f"Range of {size} bytes at {offset}: expected size >= 1, offset >= 0")
        with self._reading(key, offset=offset, length=size) as response:
            data = response.read()
        if len(data) != size:
            raise BadInput(f"{self.uri}/{key} ends before byte {offset + size}")
        return data

    def get_file(self, key: str, path: Path) -> None:
        with self._reading(key) as response, written_whole(path) as file:
            for chunk in response.stream(MEBIBYTE):
                file.write(chunk)

    def exists(self, key: str) -> bool:
        return self._stat(key) is not None

    def list(self, prefix: str) -> Iterator[str]:
        yield from sorted(self._names(prefix, recursive=True))

    def entries(self, prefix: str) -> Iterator[Entry]:
        for found in self._objects(prefix, recursive=True):
            modified = found.last_modified.timestamp() if found.last_modified else time.time()
            key = str(found.object_name).removeprefix(self._prefix)
            tag = (found.etag or "").strip('"')
            yield Entry(key, size=found.size or 0, modified=modified, tag=tag)

    def remove(self, key: str) -> None:
        with self._faults(key):
            try:
                self._client.remove_object(self._bucket, self._name(key))
            except S3Error as error:
                if error.code not in ABSENT:
                    raise

    def folders(self, prefix: str) -> Iterator[str]:
        names = self._names(prefix, recursive=False)
        found = sorted(name.split("/")[-2] for name in names if name.endswith("/"))
        yield from filter(is_folder, found)

    def read_tagged(self, key: str, *, most: int = SMALL_BYTES) -> tuple[bytes, str]:
        with self._reading(key) as response:
            data = read_all(response, most=most, name=f"{self.uri}/{key}")
            return data, response.headers.get("ETag", "").strip('"')

    def compare_and_swap(self, key: str, data: bytes, *, expected: str | None) -> str:
        condition = IF_NEW if expected is None else {"If-Match": expected}
        client = connect(self._credentials, pool=self._pool_once, condition=condition)
        digest = hashlib.sha256(data).hexdigest()
        with self._faults(key):
            try:
                return self._upload(client, key, io.BytesIO(data), size=len(data), digest=digest)
            except S3Error as error:
                if error.code not in LOST:
                    raise
                message = f"{self.uri}/{key} was changed by somebody else; read it again"
                raise AliasMoved(message) from error

    def _put(self, key: str, source: BinaryIO, *, size: int, digest: str) -> None:
        with self._faults(key):
            try:
                self._upload(self._client, key, source, size=size, digest=digest)
            except S3Error as error:
                if error.code != "PreconditionFailed":
                    raise
                self._require(key, digest=digest)

    def _upload(
        self, client: ConditionalMinio, key: str, source: BinaryIO, *, size: int, digest: str
    ) -> str:
        name = self._name(key)
        try:
            return upload(
                client, bucket=self._bucket, name=name, source=source, size=size, digest=digest
            )
        except S3Error as error:
            if error.code == NO_BUCKET:
                self._make_bucket()
            elif error.code != GONE_UPLOAD:
                raise
        source.seek(0)
        return upload(
            client, bucket=self._bucket, name=name, source=source, size=size, digest=digest
        )

    def _make_bucket(self) -> None:
        try:
            self._client.make_bucket(self._bucket)
        except S3Error as error:
            if error.code not in OWNED:  # another writer was faster
                raise

    def _require(self, key: str, *, digest: str) -> None:
        metadata = self._stat(key) or {}
        found = metadata.get(f"x-amz-meta-{DIGEST}") or self._digest(key)
        if found != digest:
            raise ArtifactExists(f"{self.uri}/{key} holds other content; keys are immutable")

    def _digest(self, key: str) -> str:
        """Read the content: an object that another program uploaded does not tell its digest."""
        digest = hashlib.sha256()
        with self._reading(key) as response:
            for chunk in response.stream(MEBIBYTE):
                digest.update(chunk)
        return digest.hexdigest()

    def _stat(self, key: str) -> Mapping[str, str] | None:
        with self._faults(key):
            try:
                found = self._client.stat_object(self._bucket, self._name(key))
            except S3Error as error:
                if error.code in ABSENT:
                    return None
                raise
        return found.metadata or {}

    def _names(self, prefix: str, *, recursive: bool) -> Iterator[str]:
        for found in self._objects(prefix, recursive=recursive):
            yield str(found.object_name).removeprefix(self._prefix)

    def _objects(self, prefix: str, *, recursive: bool) -> Iterator[Object]:
        folder = self._prefix + check_prefix(prefix)
        with self._faults(prefix):
            try:
                yield from self._client.list_objects(self._bucket, folder, recursive=recursive)
            except S3Error as error:
                if error.code != NO_BUCKET:
                    raise

    def _name(self, key: str) -> str:
        return self._prefix + check_key(key)

    @contextmanager
    def _reading(self, key: str, *, offset: int = 0, length: int = 0) -> Iterator[BaseHTTPResponse]:
        with self._faults(key):
            response = self._client.get_object(
                self._bucket, self._name(key), offset=offset, length=length
            )
            try:
                yield response
            finally:
                response.close()
                response.release_conn()

    @contextmanager
    def _faults(self, key: str) -> Iterator[None]:
        try:
            yield
        except (MinioException, HTTPError) as error:
            where = f"{self.uri}/{key}"
            raise translate(error, credentials=self._credentials, where=where) from error
        except (ParseError, ValueError) as error:
            if not isinstance(error, ParseError) and not str(error).startswith("XML element"):
                raise
            raise StoreUnavailable(
                f"S3 server {self._credentials.endpoint} answers with what no S3 server says "
                f"({error}); is MINIO_ENDPOINT right, and no page of a proxy?"
            ) from error
