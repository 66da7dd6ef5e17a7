"""From a URI to the store behind it."""

from pathlib import Path

from ocr.errors import BadInput
from ocr.store.local import LocalStore
from ocr.store.protocol import READ_TIMEOUT_S, S3Credentials, Store


def open_store(
    uri: str, *, s3: S3Credentials | None = None, read_timeout_s: float = READ_TIMEOUT_S
) -> Store:
    """Open the store at `file:///folder`, a plain path or `s3://bucket/prefix`.

    Nothing is touched until the first use. A server that is silent for `read_timeout_s`, twice,
    does not answer.

    Raises:
        BadInput: The URI names no store, or `s3` is missing for an S3 one.
    """
    scheme, separator, rest = uri.partition("://")
    place = rest.partition("/")[0]
    if "@" in place or (":" in place and "@" in rest):  # a key may hold a slash; it is not shown
        raise BadInput(
            "An address of a store or dataset holds keys or an @: leave them out; "
            "MINIO_ACCESS_KEY and MINIO_SECRET_KEY hold the keys, MINIO_ENDPOINT the server"
        )
    if not separator:
        return _open_local(uri, path=uri)
    if scheme == "file":
        return _open_local(uri, path=rest if rest.startswith("/") else "")
    if scheme == "s3":
        return _open_s3(uri, rest=rest, s3=s3, read_timeout_s=read_timeout_s)
    message = f"Store {uri!r}: expected file:///folder, a path or s3://bucket/prefix"
    raise BadInput(message)


def _open_local(uri: str, *, path: str) -> Store:
    if not path:
        raise BadInput(f"Store {uri!r}: expected an absolute path, as in file:///folder")
    return LocalStore(Path(path))


def _open_s3(uri: str, *, rest: str, s3: S3Credentials | None, read_timeout_s: float) -> Store:
    from ocr.store.minio import MinioStore  # 0.2 s that a local store need not wait for

    bucket, _, prefix = rest.partition("/")
    if not bucket:
        raise BadInput(f"Store {uri!r} names no bucket; expected s3://bucket/prefix")
    if s3 is None or not (s3.endpoint and s3.access_key and s3.secret_key):
        message = f"Store {uri!r} needs MINIO_ENDPOINT, MINIO_ACCESS_KEY and MINIO_SECRET_KEY"
        raise BadInput(message)
    return MinioStore(
        bucket=bucket, prefix=prefix.rstrip("/"), credentials=s3, read_timeout_s=read_timeout_s
    )
