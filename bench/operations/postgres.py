"""A PostgreSQL server of its own, of Debian's package, behind a password."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from deploy.ports import pick_port

PASSWORD = "only:for@tests/on loopback"  # noqa: S105 - of nobody
NO_SERVER = "no PostgreSQL: apt install postgresql"


class NoPostgres(LookupError):
    """This machine has none, or it does not start."""


@dataclass
class Postgres:
    """A server with a database `prefect`, and its process."""

    port: int
    process: "subprocess.Popen[bytes]"
    folder: Path

    @property
    def address(self) -> str:
        """As OCRLINE_DATABASE states it."""
        return f"postgresql+asyncpg://ocrline@127.0.0.1:{self.port}/prefect"

    def kill(self) -> None:
        """End it and what serves its connections, without a word."""
        main = psutil.Process(self.process.pid)
        for process in [*main.children(), main]:
            with suppress(psutil.NoSuchProcess):  # what served a connection has ended
                process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start it again on what it has."""
        self.process = start_postgres(self.folder, self.port)


@contextmanager
def running_postgres(folder: Path) -> Iterator[Postgres]:
    """Run a server in a folder.

    Raises:
        NoPostgres: See there.
    """
    programs = find_programs()
    if programs is None:
        raise NoPostgres(NO_SERVER)
    data = folder / "postgres"
    data.mkdir(parents=True)
    user = _somebody()
    _give(folder, data, user)
    secret = data / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    _run(
        [str(programs / "initdb"), "-D", str(data / "db"), "-U", "ocrline", "-A", "scram-sha-256"],
        ["--pwfile", str(secret)],
    )
    port = pick_port(0)
    server = Postgres(port, start_postgres(data, port), data)
    try:
        _create_database(programs, port)
        yield server
    finally:
        server.process.send_signal(signal.SIGINT)  # at once, whoever is connected
        server.process.wait(60)


def start_postgres(data: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start the server on what it has."""
    programs = find_programs()
    if programs is None:
        raise NoPostgres(NO_SERVER)
    where = ["-p", str(port), "-h", "127.0.0.1", "-k", str(data)]
    with (data / "log").open("ab") as log:
        return subprocess.Popen(
            [str(programs / "postgres"), "-D", str(data / "db"), *where],
            stdout=log,
            stderr=log,
            cwd=data,
            **_as_user(),
        )


def ask(server: Postgres, database: str, statement: str) -> str:
    """Run a statement in a database and return what it answers."""
    said = subprocess.run(
        ["psql", "--no-psqlrc", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement],
        env={
            **os.environ,
            "PGDATABASE": database,
            "PGHOST": "127.0.0.1",
            "PGPASSWORD": PASSWORD,
            "PGPORT": str(server.port),
            "PGUSER": "ocrline",
        },
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout.strip()


def find_programs() -> Path | None:
    """Find the folder of `initdb`; Debian keeps it off the PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def _create_database(programs: Path, port: int) -> None:
    command = [str(programs / "createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "ocrline"]
    for _ in range(300):
        ended = subprocess.run(
            [*command, "prefect"],
            env={**os.environ, "PGPASSWORD": PASSWORD},
            capture_output=True,
            check=False,
        )
        if ended.returncode == 0:
            return
        time.sleep(0.2)
    raise NoPostgres(f"PostgreSQL does not answer: {ended.stderr.decode()}")


def _run(*words: list[str]) -> None:
    command = [each for some in words for each in some]
    subprocess.run(command, check=True, capture_output=True, cwd="/", **_as_user())


def _somebody() -> str | None:
    """Whom it runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _as_user() -> dict[str, Any]:
    user = _somebody()
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def _give(folder: Path, data: Path, user: str | None) -> None:
    if user is None:
        return
    shutil.chown(data, user)
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path(parent.anchor):
            parent.chmod(parent.stat().st_mode | 0o011)  # so that it may come to its folder
