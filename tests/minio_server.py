"""A real MinIO server for the tests: the one in the environment, or one of their own."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from deploy.ports import pick_port
from ocr.store import S3Credentials

ACCESS_KEY = "ocrline-tests"
SECRET_KEY = "only-for-tests-on-loopback"
INSTALL = "go install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"
NO_SERVER = f"no MinIO server: set MINIO_ENDPOINT and its keys, or run `{INSTALL}`"


@pytest.fixture(scope="session")
def minio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Credentials]:
    """Give the keys to a running MinIO server; skip the test when there is none to be had."""
    endpoint = os.environ.get("MINIO_ENDPOINT", "")
    if endpoint:
        yield S3Credentials(
            endpoint=endpoint,
            access_key=os.environ.get("MINIO_ACCESS_KEY", ""),
            secret_key=os.environ.get("MINIO_SECRET_KEY", ""),
            secure=os.environ.get("MINIO_SECURE", "false").lower() == "true",
        )
        return
    with running_minio(tmp_path_factory.mktemp("minio")) as (credentials, _):
        yield credentials


@contextmanager
def running_minio(
    folder: Path, *, disk: Sequence[str] = ()
) -> Iterator[tuple[S3Credentials, "subprocess.Popen[bytes]"]]:
    """Run our own server on `folder`, for a test that kills it; skip when there is no binary.

    `disk` is a command line that gives `folder/data` another disk and runs the rest of the line.
    """
    binary = find_minio()
    if not binary:
        pytest.skip(NO_SERVER)
    port = pick_port(0)
    process = _start([*disk, binary], folder=folder, port=port)
    try:
        _wait_until_ready(port, process)
        credentials = S3Credentials(f"127.0.0.1:{port}", ACCESS_KEY, SECRET_KEY)
        yield credentials, process
    finally:
        process.kill()
        process.wait()


def find_minio() -> str | None:
    """Find the server's binary on the PATH, or where `go install` puts it."""
    found = shutil.which("minio")
    if found or not shutil.which("go"):
        return found
    asked = subprocess.run(["go", "env", "GOPATH"], capture_output=True, text=True, check=True)
    return shutil.which(Path(asked.stdout.strip()) / "bin" / "minio")


def _start(program: list[str], *, folder: Path, port: int) -> "subprocess.Popen[bytes]":
    console = f"127.0.0.1:{pick_port(0)}"
    command = [*program, "server", str(folder / "data"), "--quiet"]
    command += ["--address", f"127.0.0.1:{port}", "--console-address", console]
    keys = {"MINIO_ROOT_USER": ACCESS_KEY, "MINIO_ROOT_PASSWORD": SECRET_KEY}
    with (folder / "minio.log").open("wb") as log:
        return subprocess.Popen(
            command,
            env={**os.environ, **keys, "MINIO_BROWSER": "off", "HOME": str(folder)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def _wait_until_ready(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        if process.poll() is not None:
            pytest.fail(f"minio ended at start with {process.returncode}")
        if _status(port) == 403:  # it refuses us: before, nobody listens or it answers 503
            return
        time.sleep(0.1)
    pytest.fail(f"minio does not answer on port {port}")


def _status(port: int) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()
