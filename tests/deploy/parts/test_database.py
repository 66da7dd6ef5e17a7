"""Where Prefect keeps runs: a real PostgreSQL, and addresses that are none."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from bench.operations.postgres import (
    NO_SERVER,
    PASSWORD,
    Postgres,
    find_programs,
    running_postgres,
)
from configs.settings import Settings, SettingsError
from deploy.background import Service, ServiceFailed, clean_environment
from deploy.parts.database import connect_to, find_database, show_address
from deploy.ports import pick_port
from deploy.services import client_variables, ensure_server, services_folder
from deploy.status import read_parts
from tests.deploy.conftest import own_home_in

ASKS = """
from prefect.client.orchestration import get_client
with get_client(sync_client=True) as client:
    client.read_flow_runs()
"""


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    if find_programs() is None:
        pytest.skip(NO_SERVER)
    with running_postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with own_home_in(tmp_path):
        yield tmp_path / "home"


def start_server(postgres: Postgres) -> Service:
    os.environ.update(OCRLINE_DATABASE=postgres.address, OCRLINE_DATABASE_PASSWORD=PASSWORD)
    return ensure_server(Settings())


def connect(**environment: str) -> dict[str, str]:
    os.environ.update({f"OCRLINE_{name}": value for name, value in environment.items()})
    settings = Settings()
    return connect_to(settings, services_folder(settings))


@pytest.mark.timeout(600)
def test_prefect_keeps_its_runs_in_postgresql_and_later_starts_know(
    home: Path, postgres: Postgres
) -> None:
    first = start_server(postgres)
    del os.environ["OCRLINE_DATABASE"], os.environ["OCRLINE_DATABASE_PASSWORD"]

    again = ensure_server(Settings())

    assert again == first
    database = next(part for part in read_parts(Settings()) if part.name == "database")
    assert (database.state, database.address) == ("up", postgres.address)
    assert not (home / "prefect" / "prefect.db").exists()
    kept = [path for path in home.rglob("*") if path.is_file() and PASSWORD in read(path)]
    assert kept == [home / "services" / "database-password"]
    assert kept[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.timeout(600)
def test_what_is_asked_while_postgresql_is_away_is_answered_once_it_is_back(
    home: Path, postgres: Postgres
) -> None:
    variables = client_variables(Settings(), start_server(postgres).url)
    postgres.kill()
    comes_back = Timer(3, postgres.restart)
    comes_back.start()

    asked = subprocess.run(
        [sys.executable, "-c", ASKS], env={**clean_environment(), **variables}, check=False
    )

    comes_back.join()
    assert asked.returncode == 0


def test_a_wrong_password_is_said_not_shown_and_not_kept(home: Path, postgres: Postgres) -> None:
    with pytest.raises(ServiceFailed, match="password authentication failed") as refusal:
        connect(DATABASE=postgres.address, DATABASE_PASSWORD="guessed")

    assert "OCRLINE_DATABASE_PASSWORD" in str(refusal.value)
    assert "guessed" not in str(refusal.value)
    assert not (home / "services" / "database-password").exists()


def test_a_database_that_is_not_there_is_named(home: Path, postgres: Postgres) -> None:
    with pytest.raises(ServiceFailed, match=r'"elsewhere" does not exist; create it'):
        connect(
            DATABASE=postgres.address.replace("/prefect", "/elsewhere"), DATABASE_PASSWORD=PASSWORD
        )


def test_an_address_where_nobody_answers_says_what_to_do(home: Path) -> None:
    address = f"postgresql+asyncpg://me@127.0.0.1:{pick_port(0)}/prefect"

    with pytest.raises(ServiceFailed, match="start PostgreSQL there, or name another") as refusal:
        connect(DATABASE=address)

    assert address in str(refusal.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://me:hush@host/prefect", "=…@host/prefect: expected postgresql"),
        ("postgresql+asyncpg:///prefect", "expected postgresql"),
        ("postgresql+asyncpg://me:hush@host/prefect", "goes to OCRLINE_DATABASE_PASSWORD"),
        ("postgresql+asyncpg://me@host/prefect?password=hush", "=…@host/prefect: expected"),
        ("postgresql+asyncpg://me@host/prefect?ssl=require&user=hush", "expected postgresql"),
        ("postgresql+asyncpg://me@host/prefect#hush", "expected postgresql"),
        ("me:hush@host/prefect", "=…@host/prefect: expected postgresql"),
        ("postgresql+asyncpg://me:hush/hush@host:1/prefect", "=…@host:1/prefect: expected"),
        ("postgresql+asyncpg://me:hush?hush@host:1/prefect", "=…@host:1/prefect: expected"),
        ("postgresql+asyncpg://me@host:abc/prefect", "=…@host:…: expected"),
        ("postgresql+asyncpg://me:hush/hush", "=postgresql+asyncpg://me:…: expected"),
        ("postgresql+asyncpg://me:20260115/prefect", "=postgresql+asyncpg://me:…: expected"),
        ("me:hush", "=me:…: expected"),
        ("postgresql://host:5432/prefect", "=postgresql://host:5432/prefect: expected"),
        ("postgresql+asyncpg://me@host:99999/prefect", "=…@host:99999/prefect: expected"),
        ("postgresql+asyncpg://me@[::1/prefect", "=…@[:…: expected"),
        (f"postgresql+asyncpg://me@{'h' * 70}/prefect", "name another"),
        ("postgresql+asyncpg://me@127.0.0.1:1/prefect?ssl=maybe", "name another"),
    ],
)
def test_what_is_no_address_is_refused_and_shown_without_a_password(
    home: Path, address: str, said: str
) -> None:
    kind = SettingsError if "expected" in said or "PASSWORD" in said else ServiceFailed
    with pytest.raises(kind) as refusal:
        connect(DATABASE=address)

    assert said in str(refusal.value)
    assert "hush" not in str(refusal.value)
    assert "hush" not in show_address(address)


def test_without_an_address_it_is_sqlite(home: Path) -> None:
    assert connect() == {}
    assert find_database(Settings(), services_folder(Settings())) == "sqlite"


def read(path: Path) -> str:
    return path.read_text(errors="replace")
