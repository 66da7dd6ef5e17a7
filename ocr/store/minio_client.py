"""The `minio` SDK as this store needs it: conditional uploads, short timeouts, our errors."""

import io
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Final

from minio import Minio
from minio.error import MinioException, S3Error
from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.response import BaseHTTPResponse

from ocr.errors import ArtifactNotFound, BadInput, OcrError, StoreRefused, StoreUnavailable
from ocr.store.protocol import S3Credentials

MEBIBYTE: Final = 2**20
PART_BYTES: Final = 8 * MEBIBYTE
PARALLEL_PARTS: Final = 3  # the SDK holds one more than these in memory
MAX_PARTS: Final = 10_000  # S3
SLICE_BYTES: Final = MEBIBYTE // 4
CONNECT_TIMEOUT_S: Final = 5.0  # also the time one slice of a body may take

DIGEST: Final = "sha256"  # metadata: the ETag of a multipart upload is no digest of the content
NO_BUCKET: Final = "NoSuchBucket"
GONE_UPLOAD: Final = "NoSuchUpload"  # a full MinIO forgets one in five; it says why the next time
ABSENT: Final = ("NoSuchKey", NO_BUCKET)
REFUSED: Final = {
    "AccessDenied": "let its policy allow it",
    "InvalidAccessKeyId": "check MINIO_ACCESS_KEY and its secret",
    "SignatureDoesNotMatch": "check MINIO_ACCESS_KEY and its secret",
    "RequestTimeTooSkewed": "set the clock of this machine or of the server: they differ",
}
"""What a server says of a key that it does not take, and what mends it."""
FULL: Final = ("XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientCapacity")

# It warns of every try; the last one's error says as much, in one line.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)


class ConditionalMinio(Minio):
    """A client whose uploads take effect under a condition: If-None-Match or If-Match.

    `put_object` has no argument for it (SDK 7.2.20), so the headers join the one request that
    makes an object visible: a plain PUT, or the completion of a multipart upload. Otherwise the
    server answers PreconditionFailed.
    """

    def __init__(self, *args: Any, condition: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._condition = condition

    def _execute(  # type: ignore[override]  # the SDK's eight arguments, passed on as they are
        self,
        method: str,
        bucket_name: str | None = None,
        object_name: str | None = None,
        body: bytes | None = None,
        headers: dict[str, Any] | None = None,
        query_params: dict[str, Any] | None = None,
        **rest: bool,
    ) -> BaseHTTPResponse:
        query = query_params or {}
        is_plain_put = method == "PUT" and bool(object_name) and not query
        if is_plain_put or (method == "POST" and "uploadId" in query):
            headers = {**(headers or {}), **self._condition}
        return super()._execute(
            method, bucket_name, object_name, body, headers, query_params, **rest
        )

    def _abort_multipart_upload(self, bucket_name: str, object_name: str, upload_id: str) -> None:
        """Give an upload up; a failure here must not hide the error that made us do so.

        A full MinIO sometimes answers NoSuchUpload. What it keeps of an upload is never visible,
        and it removes that by itself in a day.
        """
        with suppress(MinioException, HTTPError):
            super()._abort_multipart_upload(bucket_name, object_name, upload_id)


class SlicingPool(PoolManager):
    """Sends a body in slices: a socket's timeout counts for one send, so not for a whole part."""

    def urlopen(  # type: ignore[override]
        self, method: str, url: str, redirect: bool = True, **kwargs: Any
    ) -> BaseHTTPResponse:
        """Send a request, as PoolManager does."""
        if isinstance(kwargs.get("body"), bytes) and kwargs["body"]:
            kwargs["body"] = io.BytesIO(kwargs["body"])
        return super().urlopen(method, url, redirect, **kwargs)


def open_pool(*, read_timeout_s: float, repeat: bool) -> PoolManager:
    """Open connections that give up within seconds.

    With `repeat`, a request without an answer is sent again: right for what may happen twice,
    wrong for a compare-and-swap, which would then refuse its own success.
    """
    again = 1 if repeat else 0
    return SlicingPool(
        blocksize=SLICE_BYTES,
        maxsize=16,
        timeout=Timeout(connect=CONNECT_TIMEOUT_S, read=read_timeout_s),
        retries=Retry(
            total=4,
            connect=1,
            read=again,
            other=again,
            status=4 * again,
            status_forcelist=(500, 502, 503, 504),
            raise_on_status=False,
            backoff_factor=0.25,  # 0, 0.5, 1 and 2 s
            respect_retry_after_header=False,  # a starting MinIO asks for a whole minute
        ),
    )


def connect(
    credentials: S3Credentials, *, pool: PoolManager, condition: Mapping[str, str]
) -> ConditionalMinio:
    """Make a client; nothing is sent yet.

    Raises:
        BadInput: The endpoint is not HOST:PORT.
    """
    try:
        return ConditionalMinio(
            credentials.endpoint,
            access_key=credentials.access_key,
            secret_key=credentials.secret_key,
            region=credentials.region,
            secure=credentials.secure,
            http_client=pool,
            condition=condition,
        )
    except ValueError as error:
        shown = credentials.endpoint.rpartition("@")[2]  # what stands before it may be keys
        why = "http or https says MINIO_SECURE" if "://" in shown else error
        raise BadInput(f"S3 endpoint {shown!r}: expected HOST:PORT ({why})") from error


def upload(
    client: ConditionalMinio, *, bucket: str, name: str, source: BinaryIO, size: int, digest: str
) -> str:
    """Send an object under the client's condition, in parts when it is large; return its tag.

    Raises:
        S3Error: PreconditionFailed, and whatever else the server says.
    """
    result = client.put_object(
        bucket,
        name,
        source,
        length=size,
        metadata={DIGEST: digest},
        part_size=max(PART_BYTES, -(-size // MAX_PARTS // MEBIBYTE) * MEBIBYTE),
        num_parallel_uploads=PARALLEL_PARTS,
    )
    return str(result.etag)


def translate(
    error: MinioException | HTTPError, *, credentials: S3Credentials, where: str
) -> OcrError:
    """Say in our errors what the server or the network did to a request for `where`."""
    server = f"S3 server {credentials.endpoint}"
    if not isinstance(error, S3Error):
        reason = error.reason if isinstance(error, MaxRetryError) else error
        message = f"{server} does not answer for {where}: {reason}; is it running, and is"
        return StoreUnavailable(f"{message} MINIO_ENDPOINT right?")
    if error.code in ABSENT:
        why = f": there is no bucket {error.bucket_name!r}" if error.code == NO_BUCKET else ""
        return ArtifactNotFound(f"No artifact {where}{why}")
    if error.code == "InvalidRange":
        return BadInput(f"{where} ends before the range asked for")
    if error.code in REFUSED:
        message = f"{server} refuses access key {credentials.access_key!r} for {where}"
        return StoreRefused(f"{message} ({error.code}); {REFUSED[error.code]}")
    if error.code in FULL or "no space left" in str(error.message):  # MinIO: an InternalError
        return StoreUnavailable(f"{server} has no space for {where} ({error.code}); free some")
    return StoreUnavailable(f"{server} fails for {where}: {error.code}: {error.message}")
