"""Backups of a bucket, and of a database of PostgreSQL."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.operations.postgres import (
    NO_SERVER,
    PASSWORD,
    Postgres,
    ask,
    find_programs,
    running_postgres,
)
from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.memory import StackMemory, read_memory, write_memory
from deploy.parts.database import connect_to
from deploy.services import services_folder
from ocr.errors import ArtifactExists, BadInput
from ocr.store import open_store
from tasks.workspace import open_workspace
from tests.deploy.keeping.conftest import ROWS, new_home
from tests.deploy.keeping.saved import (
    bring_back,
    content,
    interrupt_by_error,
    list_members,
    save,
)
from tests.minio_server import minio_server
from tests.prefect_tables import make_tables

__all__ = ["minio_server"]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    if find_programs() is None:
        pytest.skip(NO_SERVER)
    with running_postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


def address_of(postgres: Postgres, database: str) -> str:
    return f"{postgres.address.rpartition('/')[0]}/{database}"


def test_a_backup_takes_a_bucket_and_fills_another(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    keys = request.getfixturevalue("minio_server")
    monkeypatch.setenv("MINIO_ENDPOINT", keys.endpoint)
    monkeypatch.setenv("MINIO_ACCESS_KEY", keys.access_key)
    monkeypatch.setenv("MINIO_SECRET_KEY", keys.secret_key)
    original = content(open_store(settings.store))
    path = save(settings, tmp_path / "a.tar.zst")
    bucket = new_home(tmp_path / "1", monkeypatch, OCRLINE_STORE=f"s3://ocrline-{os.getpid()}/one")
    bring_back(bucket, path)
    again = save(bucket, tmp_path / "b.tar.zst")
    other = new_home(tmp_path / "2", monkeypatch, OCRLINE_STORE=f"s3://ocrline-{os.getpid()}/two")

    bring_back(other, again)

    assert content(open_workspace(other).store) == original
    assert open_workspace(other).registry.resolve("plates").version == "second"


@pytest.mark.parametrize("with_secrets", [False, True])
def test_a_database_of_postgresql_comes_back(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    postgres: Postgres,
    with_secrets: bool,
) -> None:
    one, two = (f"{name}_{int(with_secrets)}" for name in ("one", "two"))
    for name in (one, two):
        ask(postgres, "prefect", f"CREATE DATABASE {name}")
    monkeypatch.setenv("OCRLINE_DATABASE_PASSWORD", PASSWORD)
    monkeypatch.setenv("OCRLINE_DATABASE", address_of(postgres, one))
    folder = services_folder(Settings())
    make_tables(PREFECT_HOME=str(tmp_path / "prefect"), **connect_to(Settings(), folder))
    ask(postgres, one, ROWS)
    write_memory(folder, StackMemory(database=address_of(postgres, one)))
    path = save(Settings(), tmp_path / "a.tar.zst", with_secrets=with_secrets)
    there = new_home(tmp_path / "other", monkeypatch, OCRLINE_DATABASE=address_of(postgres, two))
    interrupt_by_error(there, path, step=len(list_members(path)) + 3)

    bring_back(there, path)

    assert ask(postgres, two, "SELECT name, state_name FROM flow_run ORDER BY name").split() == [
        "asks|Crashed",
        "done|Completed",
        "under",
        "way|Crashed",
    ]
    assert ask(postgres, two, "SELECT active_slots FROM concurrency_limit_v2") == "0"
    assert ask(postgres, two, "SELECT count(*) FROM block_document") == str(int(with_secrets))
    assert ask(postgres, two, "SELECT count(*) FROM configuration") == str(int(with_secrets))
    assert read_memory(there.home / "services").database == address_of(postgres, two)
    with pytest.raises(ArtifactExists, match="has a database already"):
        bring_back(new_home(tmp_path / "third", monkeypatch), path)


def test_a_backup_of_one_database_is_not_put_into_another_kind(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: Postgres
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    monkeypatch.setenv("OCRLINE_DATABASE_PASSWORD", PASSWORD)
    there = new_home(tmp_path / "other", monkeypatch, OCRLINE_DATABASE=postgres.address)

    with pytest.raises(BadInput, match="is of sqlite, OCRLINE_DATABASE names postgresql: unset it"):
        bring_back(there, path)


def test_an_unreachable_database_is_one_line_without_its_password(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_DATABASE", "postgresql+asyncpg://me@127.0.0.1:1/x")
    monkeypatch.setenv("OCRLINE_DATABASE_PASSWORD", "hush-hush")

    with pytest.raises(ServiceFailed, match=r"start PostgreSQL there") as refusal:
        save(Settings(), tmp_path / "a.tar.zst")

    assert "hush-hush" not in str(refusal.value)
    assert list(tmp_path.glob("*.zst*")) == []
