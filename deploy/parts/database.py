"""Where Prefect's server keeps runs: SQLite in the home, or PostgreSQL by address."""

import asyncio
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.memory import read_memory
from deploy.password import read_private, write_private

SQLITE = "sqlite"
SCHEME = "postgresql+asyncpg"
ANSWER_S = 15
CONNECTION = "PREFECT_SERVER_DATABASE_CONNECTION_URL"
FORM = f"{SCHEME}://USER@HOST:PORT/DATABASE"


def find_database(settings: Settings, folder: Path) -> str:
    """Return the address of the database without a password; `sqlite`: the one in the home.

    What the environment does not say, the last start said.
    """
    return settings.database or read_memory(folder).database or SQLITE


def connect_to(settings: Settings, folder: Path) -> dict[str, str]:
    """Return what Prefect's server is told of its database, which was reached.

    A password that the environment has is kept in a private file, for later starts.

    Raises:
        ServiceFailed: The address is no such address, or nobody answers there as it says.
    """
    address = find_database(settings, folder)
    if address == SQLITE:
        return {}
    parts = urlsplit(address)
    if parts.scheme != SCHEME or not parts.hostname or not parts.path.strip("/"):
        raise ServiceFailed(
            f"OCRLINE_DATABASE={hide_password(address)}: expected {FORM}, or {SQLITE}"
        )
    if parts.password:
        raise ServiceFailed(
            f"OCRLINE_DATABASE={hide_password(address)} holds a password, which others could read; "
            "set OCRLINE_DATABASE_PASSWORD instead"
        )
    file = folder / "database-password"
    password = settings.database_password or read_private(file)
    asyncio.run(_reach(address, password))
    if settings.database_password:
        write_private(file, password)
    user = parts.username or ""
    server = parts.netloc.rpartition("@")[2]
    login = f"{user}:{quote(password, safe='')}" if password else user
    url = parts._replace(netloc=f"{login}@{server}" if login else server).geturl()
    return {CONNECTION: url}


async def _reach(address: str, password: str) -> None:
    import asyncpg

    parts = urlsplit(address)
    try:
        connection = await asyncpg.connect(
            host=parts.hostname,
            port=parts.port or 5432,
            user=unquote(parts.username) if parts.username else None,
            password=password or None,
            database=parts.path.strip("/"),
            timeout=ANSWER_S,
        )
        await connection.close()
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ServiceFailed(
            f"OCRLINE_DATABASE={hide_password(address)}: {said}; {_advise(error)}"
        ) from None


def _advise(error: Exception) -> str:
    from asyncpg.exceptions import (
        InvalidAuthorizationSpecificationError,
        InvalidCatalogNameError,
    )

    match error:
        case InvalidAuthorizationSpecificationError():
            return "check its user, and OCRLINE_DATABASE_PASSWORD"
        case InvalidCatalogNameError():
            return "create it: createdb NAME"
    return f"start PostgreSQL there, or name another: {FORM}, or {SQLITE}"


def hide_password(address: str) -> str:
    """Return an address as it may be shown."""
    parts = urlsplit(address)
    if not parts.password:
        return address
    return parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":…@")).geturl()
