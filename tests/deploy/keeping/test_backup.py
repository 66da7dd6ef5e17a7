"""What a backup says that it left out, and what it leaves where it does not end well."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.main import run
from configs.settings import Settings
from tests.deploy.keeping.saved import list_members, save
from tests.ocr.store.by_hand import put_by_hand
from tests.small_disk import small_disk

SAVE = """
import sys
from pathlib import Path
from deploy.keeping.database import SqliteDatabase
SqliteDatabase(Path(sys.argv[1])).save(Path(sys.argv[2]), with_secrets=True)
"""
LEFT_OUT = "is not the home's own notifications.yaml: not in the backup"


@pytest.mark.parametrize("how", ["variable", "link"])
def test_a_notifications_file_elsewhere_is_named_as_left_out(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    elsewhere, own = tmp_path / "people.yaml", settings.home / "notifications.yaml"
    own.rename(elsewhere)
    if how == "link":
        own.symlink_to(elsewhere)
    else:
        monkeypatch.setenv("OCRLINE_NOTIFICATIONS", str(elsewhere))

    back_up_with_secrets(settings, tmp_path / "a.tar.zst")

    said = f"{elsewhere}, which says who is told, {LEFT_OUT}"
    assert said in capsys.readouterr().out
    assert "home/notifications.yaml" not in list_members(tmp_path / "a.tar.zst")


@pytest.mark.parametrize("is_there", [True, False])
def test_of_the_homes_own_file_and_of_none_nothing_is_said(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str], is_there: bool
) -> None:
    if not is_there:
        (settings.home / "notifications.yaml").unlink()

    back_up_with_secrets(settings, tmp_path / "a.tar.zst")

    assert LEFT_OUT not in capsys.readouterr().out
    assert ("home/notifications.yaml" in list_members(tmp_path / "a.tar.zst")) == is_there


@pytest.mark.parametrize(
    ("name", "shown"),
    [("models/README", "models/README"), ("a\x1b[31m\udce9", r"'a\x1b[31m\udce9'")],
)
def test_what_something_else_put_into_the_store_is_named_as_left_out(
    name: str, shown: str, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_by_hand(settings.store, name, credentials=None)

    back_up_with_secrets(settings, tmp_path / "a.tar.zst")

    said = capsys.readouterr().out
    assert f"left out of the store what ocrline did not put there: {shown}" in said


def back_up_with_secrets(settings: Settings, path: Path) -> None:
    assert run(["backup", str(path), "--with-secrets", "--store", settings.store]) == 0


def test_what_a_killed_backup_left_goes_with_the_next_after_a_day(
    settings: Settings, tmp_path: Path
) -> None:
    killed, running = (tmp_path / f".ocrline-backup-{name}" for name in ("killed", "running"))
    for folder in (killed, running):
        folder.mkdir()
        (folder / "prefect.dump").touch()
    os.utime(killed / "prefect.dump", (0, 0))
    own = tmp_path / ".ocrline-backup-2024" / "photos"
    own.mkdir(parents=True)
    os.utime(own.parent, (0, 0))
    (tmp_path / ".ocrline-backup-nowhere").symlink_to(tmp_path / "nowhere")

    save(settings, tmp_path / "a.tar.zst")

    assert not killed.exists()
    assert running.exists()
    assert own.exists()


def test_a_disk_without_room_for_the_database_is_told(tmp_path: Path) -> None:
    source, disk = tmp_path / "prefect.db", tmp_path / "disk"
    with closing(sqlite3.connect(source)) as database:
        database.execute("CREATE TABLE runs (said)")
        database.execute("INSERT INTO runs VALUES (zeroblob(4000000))")
        database.commit()
    command = [sys.executable, "-c", SAVE, str(source), str(disk / "prefect.dump")]

    done = subprocess.run(
        [*small_disk(disk, size_mb=1), *command], capture_output=True, text=True, check=False
    )

    assert "StoreUnavailable: Prefect's database" in done.stderr
    assert f"cannot be copied to {disk}: database or disk is full; free some" in done.stderr


def test_a_home_that_is_not_there_has_no_empty_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "unmounted"))
    monkeypatch.delenv("OCRLINE_STORE", raising=False)

    assert run(["backup", str(tmp_path / "a.tar.zst")]) != 0

    assert f"No home at {tmp_path / 'unmounted'}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
