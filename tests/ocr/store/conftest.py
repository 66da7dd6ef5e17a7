"""The stores that the suite runs against."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from minio import Minio
from moto.server import ThreadedMotoServer

from deploy.ports import pick_port
from ocr.store import S3Credentials, Store, open_store
from tests.minio_server import minio_server

__all__ = ["minio_server"]


@pytest.fixture(scope="session")
def moto_server() -> Iterator[S3Credentials]:
    """Moto's S3: logic only, it accepts any key."""
    port = pick_port(0)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    yield S3Credentials(f"127.0.0.1:{port}", "moto", "moto-secret")
    server.stop()


@pytest.fixture(params=["local", "moto", "minio"])
def backend(request: pytest.FixtureRequest) -> str:
    """Name the kind of store that the test runs against."""
    return str(request.param)


@pytest.fixture
def credentials(backend: str, request: pytest.FixtureRequest) -> S3Credentials | None:
    """The keys to the server of this backend; None for the local store."""
    if backend == "local":
        return None
    found = request.getfixturevalue(f"{backend}_server")
    assert isinstance(found, S3Credentials)
    return found


@pytest.fixture
def store_uri(backend: str, credentials: S3Credentials | None, tmp_path: Path) -> Iterator[str]:
    """An address where nothing is yet; what the test leaves on a borrowed server is removed."""
    if credentials is None:
        yield f"file://{tmp_path / 'store'}"
        return
    bucket = f"ocrline-{uuid.uuid4().hex}"
    yield f"s3://{bucket}/tests"
    if backend == "minio" and "MINIO_ENDPOINT" in os.environ:
        remove_bucket(bucket, credentials)


def remove_bucket(bucket: str, keys: S3Credentials) -> None:
    """Remove a bucket and all that is in it, if it exists."""
    client = Minio(keys.endpoint, keys.access_key, keys.secret_key, secure=keys.secure)
    if client.bucket_exists(bucket):
        for found in client.list_objects(bucket, recursive=True):
            client.remove_object(bucket, str(found.object_name))
        client.remove_bucket(bucket)


@pytest.fixture
def store(store_uri: str, credentials: S3Credentials | None) -> Store:
    """An empty store of this backend."""
    return open_store(store_uri, s3=credentials)
