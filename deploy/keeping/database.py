"""Prefect's database in a file: of SQLite or of PostgreSQL, while its server runs."""

import os
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.parts.database import CONNECTION, connect_to
from deploy.services import services_folder
from ocr.errors import BadData, StoreUnavailable

Kind = Literal["sqlite", "postgresql"]
DATABASE: Final = "database/prefect.dump"
"""Its name in a backup."""
SETTLING: Final = Path(__file__).with_name("settling.sql")
KEY: Final = "ENCRYPTION_KEY"
"""The row of `configuration` without which nobody can read what blocks hold."""
BUSY_S: Final = 60.0


class Database(Protocol):
    """Where Prefect keeps its runs."""

    kind: Kind

    def exists(self) -> bool:
        """Say whether there is anything in it."""

    def save(self, path: Path, *, with_secrets: bool) -> None:
        """Write all of one moment to a file."""

    def prepare(self, path: Path) -> None:
        """Make such a file ready to be loaded.

        Raises:
            BadData: It is damaged, or none.
            ServiceFailed: PostgreSQL's programs say so.
        """

    def load(self, path: Path) -> None:
        """Fill it from a file that is ready, wholly or not at all, in place of what is there."""


def open_database(settings: Settings) -> Database:
    """Return the database that Prefect's server of this home works with.

    Raises:
        ServiceFailed: It is PostgreSQL, and cannot be reached.
    """
    folder = settings.home / "services"
    if settings.database_password:  # which is kept there; else nothing is written yet
        services_folder(settings)
    address = connect_to(settings, folder).get(CONNECTION)
    if address:
        return PostgresDatabase(address)
    return SqliteDatabase(settings.home / "prefect" / "prefect.db")


class SqliteDatabase:
    """A file beside the server."""

    kind: Kind = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        """Say whether there is one."""
        return self._path.exists()

    def save(self, path: Path, *, with_secrets: bool) -> None:
        """Copy it in one step, during which its server reads and writes on."""
        try:
            self._copy(path, with_secrets=with_secrets)
        except sqlite3.OperationalError as error:
            raise StoreUnavailable(
                f"Prefect's database {self._path} cannot be copied to {path.parent}: {error}; free "
                "some space there, or write the backup to another disk"
            ) from error

    def _copy(self, path: Path, *, with_secrets: bool) -> None:
        source = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=BUSY_S)
        with closing(source), closing(sqlite3.connect(path)) as target:
            path.chmod(0o600)
            source.backup(target)
            if not with_secrets:
                target.execute("PRAGMA secure_delete = ON")
                target.execute("DELETE FROM configuration WHERE key = ?", [KEY])
                target.commit()
                target.execute("VACUUM")

    def prepare(self, path: Path) -> None:
        """Settle a copy, which only one of Prefect's can be."""
        try:
            with closing(sqlite3.connect(path)) as copy:
                if copy.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise BadData("The database of the backup is damaged")
                copy.executescript(SETTLING.read_text(encoding="utf-8"))
                copy.execute("PRAGMA journal_mode = DELETE")  # all of it in the one file
        except sqlite3.Error as error:
            raise BadData(f"The backup's database is none of Prefect's: {error}") from error

    def load(self, path: Path) -> None:
        """Put a copy in its place."""
        # Others may look into the home; they shall read no runs, and no key of their secrets.
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.parent.chmod(0o700)
        path.chmod(0o600)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.replace(self._path)


class PostgresDatabase:
    """A database of a server, through PostgreSQL's own programs."""

    kind: Kind = "postgresql"

    def __init__(self, address: str) -> None:
        self._variables = _variables_of(address)

    def exists(self) -> bool:
        """Say whether it has tables."""
        tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
        return self._run(["psql", "--no-psqlrc", "-At", "-c", tables]).strip() != "0"

    def save(self, path: Path, *, with_secrets: bool) -> None:
        """Dump what one transaction sees."""
        path.touch(mode=0o600)
        left_out = [] if with_secrets else ["--exclude-table-data=configuration"]
        whole = ["pg_dump", "--format=custom", "--no-owner", "--no-privileges"]
        self._run([*whole, *left_out, f"--file={path}"])

    def prepare(self, path: Path) -> None:
        """See that it is a dump."""
        self._run(["pg_restore", "--list", str(path)])

    def load(self, path: Path) -> None:
        """Restore a dump in one transaction, in place of what is there."""
        whole = ["pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges"]
        database = f"--dbname={self._variables['PGDATABASE']}"
        self._run([*whole, "--single-transaction", database, str(path)])
        said = ["psql", "--no-psqlrc", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction"]
        self._run([*said, f"--file={SETTLING}"])

    def _run(self, command: Sequence[str]) -> str:
        try:
            done = subprocess.run(
                command,
                env={**os.environ, **self._variables},  # a password in arguments is read by all
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
            )
        except FileNotFoundError as error:
            raise ServiceFailed(
                f"{command[0]} is not installed, and OCRLINE_DATABASE needs it: "
                "apt install postgresql-client"
            ) from error
        except subprocess.CalledProcessError as error:
            said = " ".join(error.stderr.split())[-400:]
            raise ServiceFailed(f"{command[0]} failed: {said}") from error
        return done.stdout


def _variables_of(address: str) -> Mapping[str, str]:
    """Return how PostgreSQL's programs are told an address."""
    parts = urlsplit(address)
    name = unquote(parts.path.lstrip("/"))
    said = {
        "PGHOST": parts.hostname or "",
        "PGPORT": str(parts.port or 5432),
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": name,
        "PGSSLMODE": parse_qs(parts.query).get("ssl", [""])[0],
    }
    return {variable: value for variable, value in said.items() if value}
