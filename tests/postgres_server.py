"""A real PostgreSQL server for the tests, in a folder of its own, run by a user who is not root."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.minio_server import free_port

INSTALL = "apt install postgresql"
USER = "postgres"
PASSWORD = "only-for-tests-on-loopback"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Give the address of a running server, without a database's name; skip where there is none."""
    binaries = _find_binaries()
    if binaries is None or not shutil.which("pg_dump"):
        pytest.skip(f"no PostgreSQL server: `{INSTALL}`")
    # Not pytest's own folder, into which nobody but its owner may look.
    folder = Path(tempfile.mkdtemp(prefix="ocrline-postgres-"))
    own = {"user": USER} if os.geteuid() == 0 else {}
    if own:
        shutil.chown(folder, USER)
    password, port = folder / "password", free_port()
    password.write_text(PASSWORD)
    password.chmod(0o644)
    initdb = [
        str(binaries / "initdb"),
        "-D",
        str(folder / "data"),
        "-U",
        USER,
        "-A",
        "scram-sha-256",
    ]
    subprocess.run(
        [*initdb, f"--pwfile={password}", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=folder,
        **own,  # type: ignore[call-overload]
    )
    where = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-F"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(binaries / "postgres"), "-D", str(folder / "data"), *where],
            stdout=log,
            stderr=log,
            cwd=folder,
            **own,  # type: ignore[call-overload]
        )
    try:
        _wait(server, binaries, port)
        yield f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder)


def ask(address: str, statement: str) -> str:
    """Run a statement in a database and return what it answers."""
    said = subprocess.run(
        ["psql", "--no-psqlrc", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, address],
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout.strip()


def _find_binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _wait(server: "subprocess.Popen[bytes]", binaries: Path, port: int) -> None:
    while server.poll() is None:
        asked = [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port), "-t", "5"]
        if subprocess.run(asked, check=False).returncode == 0:
            return
    pytest.fail(f"postgres ended at start with {server.returncode}")
