"""The stores that the suite runs against."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from ocr.store import S3Credentials, Store, open_store
from tests.minio_server import free_port, minio_server

__all__ = ["minio_server"]


@pytest.fixture(scope="session")
def moto_server() -> Iterator[S3Credentials]:
    """Moto's S3: logic only, it accepts any key."""
    port = free_port()
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
def store_uri(backend: str, tmp_path: Path) -> str:
    """An address where nothing is yet."""
    if backend == "local":
        return f"file://{tmp_path / 'store'}"
    return f"s3://ocrline-{uuid.uuid4().hex}/tests"


@pytest.fixture
def store(store_uri: str, credentials: S3Credentials | None) -> Store:
    """An empty store of this backend."""
    return open_store(store_uri, s3=credentials)
