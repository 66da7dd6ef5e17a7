"""A MinIO server under the home: the store of its stack until somebody names another."""

import os
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from cli.options import settings_for
from configs.settings import Settings
from deploy import ports
from deploy.background import ServiceFailed, stop_service
from deploy.memory import read_memory
from deploy.parts import minio
from deploy.parts.minio import ensure_minio, find_minio, forget_minio
from deploy.ports import pick_port
from deploy.services import ensure_store, services_folder
from tasks.workspace import open_workspace
from tests.deploy.conftest import own_home_in

needs_minio = pytest.mark.skipif(not find_minio(), reason=f"no minio: {minio.INSTALL}")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """One whose server prefers a port that those of the tests beside it do not."""
    monkeypatch.setattr(minio, "PORT", pick_port(0))
    with own_home_in(tmp_path):
        for name in [n for n in os.environ if n.startswith("MINIO_")]:
            del os.environ[name]
        yield tmp_path / "home"


@needs_minio
def test_a_server_that_was_started_is_the_store_and_comes_back_as_it_was(home: Path) -> None:
    folder = services_folder(Settings())
    first = ensure_minio(home, folder, moves=True)
    open_workspace(settings_for("")).store.put_bytes("note.txt", b"kept")
    process = psutil.Process(first.pid)
    process.kill()
    process.wait()

    again = ensure_store(settings_for(""))

    assert again is not None
    assert again.url == first.url
    settings = settings_for("")
    assert settings.store == "s3://ocrline"
    assert open_workspace(settings).store.read_bytes("note.txt") == b"kept"
    secret = folder / "minio-password"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert settings.s3_secret_key in secret.read_text()


@needs_minio
def test_a_store_whose_port_is_taken_moves_where_nobody_works_with_it_yet(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "LET_GO_S", 0.2)
    folder = services_folder(Settings())
    first = ensure_minio(home, folder, moves=True)
    stop_service(folder, minio.NAME)
    port = urlsplit(first.url).port
    with socket.create_server(("127.0.0.1", port)):
        with pytest.raises(ServiceFailed, match=f"Port {port} of the store is taken by another"):
            ensure_store(settings_for(""))

        moved = ensure_minio(home, folder, moves=True)

    assert moved.url != first.url


@needs_minio
def test_a_store_whose_port_another_takes_as_well_does_not_come_up_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = services_folder(Settings())
    taken = pick_port(0)
    monkeypatch.setattr(minio, "PORT", taken)
    with socket.socket() as other:  # as another home's MinIO that starts at the same time
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", taken))
        monkeypatch.setattr(minio, "find_address", partial(listen_and_name, other, taken))

        service = ensure_minio(home, folder, moves=True)

    assert urlsplit(service.url).port != taken
    assert read_memory(folder).minio_port == urlsplit(service.url).port


def test_a_store_that_does_not_start_at_a_free_port_does_not_try_another(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "minio"
    broken.write_text("#!/bin/sh\necho no space left; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(minio, "find_minio", lambda: str(broken))
    monkeypatch.setattr(minio, "PORT", port := pick_port(0))

    with pytest.raises(ServiceFailed, match=f"{port}.*\n.*no space left"):
        ensure_minio(home, services_folder(Settings()), moves=True)


@needs_minio
def test_a_store_that_is_named_goes_before_and_a_forgotten_one_is_none(
    home: Path, tmp_path: Path
) -> None:
    folder = services_folder(Settings())
    ensure_minio(home, folder, moves=True)

    named = settings_for(str(tmp_path / "named"))
    del os.environ["OCRLINE_STORE"]
    forget_minio(folder)
    forgotten = settings_for("")

    assert named.store == str(tmp_path / "named")
    assert ensure_store(named) is None
    assert forgotten.store == f"file://{home / 'store'}"


def test_a_machine_without_minio_is_told_how_to_get_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minio, "find_minio", lambda: "")

    with pytest.raises(ServiceFailed, match="go install"):
        ensure_minio(home, services_folder(Settings()), moves=True)


def listen_and_name(other: socket.socket, port: int, *_: object, **__: object) -> str:
    """Take a port that was free when it was chosen."""
    other.listen()
    return f"http://127.0.0.1:{port}"
