"""A MinIO server under the home: the store of its stack until somebody names another."""

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cli.options import settings_for
from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.parts import minio
from deploy.parts.minio import ensure_minio, find_minio, forget_minio
from deploy.services import ensure_store, services_folder
from tasks.workspace import open_workspace
from tests.deploy.conftest import own_home_in

needs_minio = pytest.mark.skipif(not find_minio(), reason=f"no minio: {minio.INSTALL}")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with own_home_in(tmp_path):
        for name in [n for n in os.environ if n.startswith("MINIO_")]:
            del os.environ[name]
        yield tmp_path / "home"


@needs_minio
def test_a_server_that_was_started_is_the_store_and_comes_back_as_it_was(home: Path) -> None:
    folder = services_folder(Settings())
    first = ensure_minio(home, folder)
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
def test_a_store_that_is_named_goes_before_and_a_forgotten_one_is_none(
    home: Path, tmp_path: Path
) -> None:
    folder = services_folder(Settings())
    ensure_minio(home, folder)

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
        ensure_minio(home, services_folder(Settings()))
