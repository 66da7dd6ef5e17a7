"""What somebody puts into a store with other programs, under names that are no keys of ours."""

import io
from pathlib import Path
from urllib.parse import urlsplit

from minio import Minio

from ocr.store import S3Credentials


def put_by_hand(uri: str, name: str, *, credentials: S3Credentials | None) -> None:
    """Put an object of one byte into the folder or bucket behind a store."""
    if credentials is None:
        path = Path(uri.removeprefix("file://")) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        return
    client = Minio(
        credentials.endpoint,
        access_key=credentials.access_key,
        secret_key=credentials.secret_key,
        secure=credentials.secure,
    )
    parts = urlsplit(uri)
    client.put_object(parts.netloc, f"{parts.path[1:]}/{name}", io.BytesIO(b"x"), 1)
