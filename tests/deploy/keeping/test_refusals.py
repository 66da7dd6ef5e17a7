"""What is not restored: damaged, hostile, or over what is there already."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from configs.settings import Settings
from deploy.keeping.database import DATABASE
from deploy.ports import pick_port
from ocr.errors import ArtifactExists, BadData, BadInput, StoreUnavailable
from ocr.models.registry import Registry
from ocr.store import open_store
from tasks.workspace import open_workspace
from tests.deploy.keeping.conftest import new_home
from tests.deploy.keeping.saved import bring_back, content, interrupt_by_error, list_members, save
from tests.ocr.backup.archives import FILES, forge, head_of, member, write
from tests.ocr.machine.test_owner import gateway as listening
from tests.small_disk import small_disk


def test_a_damaged_backup_changes_nothing(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    there = new_home(tmp_path / "other", monkeypatch)

    with pytest.raises(BadData):
        bring_back(there, path)

    assert not there.home.exists()


@pytest.mark.parametrize(
    "name",
    [
        "home/services/prefect.json",
        "home/evil.py",
        "home/services/deep/endpoint",
        "home/deep/services/endpoint",
        "store/.lock",
        "store/models/no-suffix",
        "database/other.dump",
        "elsewhere.txt",
    ],
)
def test_a_file_that_has_no_place_in_a_backup_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = forge(tmp_path / "a.tar.zst", [member(name, b"x")], head_of({name: b"x"}))
    there = new_home(tmp_path / "other", monkeypatch)

    with pytest.raises((BadData, BadInput)):
        bring_back(there, path)

    assert not there.home.exists()


@pytest.mark.parametrize(
    ("said", "dump"),
    [
        ("sqlite", b"not sqlite" * 100),
        ("sqlite", b""),
        ("sqlite", None),
        ("", b"not sqlite" * 100),
    ],
)
def test_a_database_that_is_none_leaves_a_home_that_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, dump: bytes | None
) -> None:
    files = {} if dump is None else {DATABASE: dump}
    head = replace(head_of(files), database=said)
    path = forge(tmp_path / "a.tar.zst", [member(name, data) for name, data in files.items()], head)
    there = new_home(tmp_path / "other", monkeypatch)

    with pytest.raises(BadData, match="database"):
        bring_back(there, path)

    assert [each.name for each in there.home.glob("*")] == []
    open_workspace(there)


def test_what_says_itself_that_it_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forge(tmp_path / "a.tar.zst", [], head_of(FILES, bytes=1 << 60))

    with pytest.raises(StoreUnavailable, match=r"says it holds 1152921504\.61 GB, .* are free"):
        bring_back(new_home(tmp_path / "other", monkeypatch), path)


def test_a_home_without_room_for_what_passes_through_it_is_refused_wherever_the_store_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"store/datasets/d/1/images.tar": bytes(9_000_000)}
    path, home = write(tmp_path / "a.tar.zst", files), tmp_path / "small" / "home"
    new_home(home, monkeypatch)
    restore = [sys.executable, "-m", "cli.main", "restore", str(path)]
    command = [*small_disk(home.parent, size_mb=4), *restore, "--store", str(tmp_path / "store")]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 5
    assert "the largest object of the backup are 0.009 GB, 0.004 GB are free for" in done.stderr
    assert f"{home}: free some or name another OCRLINE_HOME" in done.stderr
    assert not (tmp_path / "store").exists()


def test_neither_a_full_store_nor_a_used_home_is_written_to(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    before = content(open_store(settings.store))

    with pytest.raises(ArtifactExists, match="is not empty: name another store with --store"):
        bring_back(settings, path)
    empty_store = new_home(settings.home, monkeypatch, OCRLINE_STORE=str(tmp_path / "empty"))
    with pytest.raises(ArtifactExists, match="has a database already: name another OCRLINE_HOME"):
        bring_back(empty_store, path)

    assert content(open_store(settings.store)) == before
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize("name", ["keys.json", "notifications.yaml", "services/endpoint"])
def test_what_a_person_put_into_a_home_is_not_replaced(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)
    place = there.home / name
    place.parent.mkdir(parents=True)
    place.write_text("newer")

    with pytest.raises(ArtifactExists, match=rf"{place}; move away .* another OCRLINE_HOME"):
        bring_back(there, path)

    assert place.read_text() == "newer"
    assert [each for each in there.home.rglob("*") if each.is_file()] == [place]


def test_a_dangling_link_in_the_place_of_a_file_is_not_replaced(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)
    there.home.mkdir()
    (there.home / "keys.json").symlink_to(tmp_path / "not mounted")

    with pytest.raises(ArtifactExists, match=r"keys\.json"):
        bring_back(there, path)


def test_keys_that_were_made_since_a_restore_was_interrupted_stay(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)
    interrupt_by_error(there, path, step=len(list_members(path)) + 20)
    (there.home / "keys.json").write_text("newer")

    with pytest.raises(ArtifactExists, match=r"keys\.json"):
        bring_back(there, path)
    (there.home / "keys.json").unlink()
    bring_back(there, path)

    assert (there.home / "keys.json").read_text() == '{"keys": []}'


def test_nothing_is_restored_beneath_a_running_gateway(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other" / ".ocrline", monkeypatch)
    monkeypatch.delenv("OCRLINE_HOME")
    there.home.parent.mkdir()

    with (
        listening(there.home.parent, "127.0.0.1", pick_port(0)) as process,
        pytest.raises(BadInput, match=rf"runs, process {process} of the home .*: stop it first"),
    ):
        bring_back(there, path)

    assert not there.home.exists()


def test_a_restore_goes_on_only_with_the_same_backup_and_store(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = save(settings, tmp_path / "a.tar.zst")
    Registry(open_store(settings.store)).rollback("plates", reason="by hand")
    second = save(settings, tmp_path / "b.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)
    interrupt_by_error(there, first, step=len(list_members(first)) + 20)

    with pytest.raises(ArtifactExists, match="is not empty"):
        bring_back(there, second)
    bring_back(there, first)

    assert Registry(open_store(there.store)).resolve("plates").version == "second"
