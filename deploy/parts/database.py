"""Where Prefect's server keeps runs: SQLite in the home, or PostgreSQL by address."""

import asyncio
import re
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from configs.settings import Settings, SettingsError
from deploy.background import ServiceFailed
from deploy.memory import read_memory
from deploy.password import read_private, write_private

SQLITE = "sqlite"
SCHEME = "postgresql+asyncpg"
ANSWER_S = 15
CONNECTION = "PREFECT_SERVER_DATABASE_CONNECTION_URL"
FORM = f"{SCHEME}://USER@HOST:PORT/DATABASE[?ssl=MODE]"


def find_database(settings: Settings, folder: Path) -> str:
    """Return the address of the database without a password; `sqlite`: the one in the home.

    What the environment does not say, the last start said.
    """
    return settings.database or read_memory(folder).database or SQLITE


def connect_to(settings: Settings, folder: Path) -> dict[str, str]:
    """Return what Prefect's server is told of its database, which was reached.

    A password that the environment has is kept in a private file, for later starts.

    Raises:
        SettingsError: The address is no such address.
        ServiceFailed: Nobody answers there as it says.
    """
    address = find_database(settings, folder)
    if address == SQLITE:
        return {}
    parts = _parse(address)
    file = folder / "database-password"
    password = settings.database_password or read_private(file)
    asyncio.run(_reach(parts, password))
    if settings.database_password:
        write_private(file, password)
    user = parts.username or ""
    server = parts.netloc.rpartition("@")[2]
    login = f"{user}:{quote(password, safe='')}" if password else user
    url = parts._replace(netloc=f"{login}@{server}" if login else server).geturl()
    return {CONNECTION: url}


def _parse(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        is_one = parts.scheme == SCHEME and parts.hostname and parts.port != 0
    except ValueError:  # of a port or a host; its text would quote a password
        parts, is_one = SplitResult("", "", "", "", ""), False
    others = parts.fragment or parse_qs(parts.query, keep_blank_values=True).keys() - {"ssl"}
    if not is_one or not parts.path.strip("/") or parts.password or others:
        raise SettingsError(
            f"OCRLINE_DATABASE={_hide(address)}: expected {FORM}, or {SQLITE}; "
            "a password, which others could read there, goes to OCRLINE_DATABASE_PASSWORD"
        )
    return parts


async def _reach(parts: SplitResult, password: str) -> None:
    import asyncpg

    ssl = parse_qs(parts.query).get("ssl")
    try:
        connection = await asyncpg.connect(
            host=parts.hostname,
            port=parts.port or 5432,
            user=unquote(parts.username) if parts.username else None,
            password=password or None,
            database=parts.path.strip("/"),
            ssl=ssl[0] if ssl else None,
            timeout=ANSWER_S,
        )
        await connection.close()
    except (
        OSError,
        TimeoutError,
        UnicodeError,  # of a host
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
    ) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ServiceFailed(
            f"OCRLINE_DATABASE={parts.geturl()}: {said}; {_advise(error)}"
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


def show_address(address: str) -> str:
    """Return an address as it may be shown."""
    if address == SQLITE:
        return address
    try:
        return _parse(address).geturl()
    except SettingsError:
        return _hide(address)


def _hide(address: str) -> str:
    """Return what is surely no password of what may have one anywhere."""
    before, at, rest = address.rpartition("@")
    rest = re.sub(r":(?!//|\d{1,5}(/|$)).*", ":…", re.split("[?#]", rest)[0])
    return f"{'…' if before else ''}{at}{rest}"
