"""A backup of one machine on another: what comes back, and what a kill does."""

from pathlib import Path

import pytest

from cli.main import run
from cli.options import settings_for
from configs.settings import Settings
from deploy.keeping.restore import restore
from deploy.memory import StackMemory, read_memory, write_memory
from deploy.services import remember_endpoint
from ocr.errors import BadInput
from ocr.store import open_store
from ocr.store.state import write_probe
from tasks.workspace import open_workspace
from tests.deploy.keeping.conftest import new_home
from tests.deploy.keeping.saved import (
    bring_back,
    content,
    interrupt_by_error,
    interrupt_by_kill,
    list_members,
    rows,
    save,
)


def test_store_runs_and_what_the_home_remembers_come_back(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    report = bring_back(there, path)

    assert content(open_store(there.store)) == content(open_store(settings.store))
    assert report.objects == len(content(open_store(settings.store)))
    runs = rows(there.home, "SELECT name, state_name FROM flow_run ORDER BY name")
    assert runs == [("asks", "Crashed"), ("done", "Completed"), ("under way", "Crashed")]
    assert (there.home / "services" / "endpoint").read_text() == "http://127.0.0.1:8868 "
    assert open_workspace(there).registry.resolve("plates").version == "second"


def test_what_the_stack_remembers_comes_back_without_where_things_were(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = {"gateway-8868": "paddle-serving"}
    memory = StackMemory(port=4300, has_minio=True, minio_port=9001, engines=engines)
    write_memory(settings.home / "services", memory)
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    bring_back(there, path)

    expected = StackMemory(port=4300, database="sqlite", engines=engines)
    assert read_memory(there.home / "services") == expected


def test_after_a_minio_home_came_back_in_a_folder_the_folder_is_the_store(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    bring_back(settings_of_a_new_process(monkeypatch), path)

    assert settings_of_a_new_process(monkeypatch).store == there.store
    assert content(open_store(there.store)) == content(open_store(settings.store))


@pytest.mark.parametrize("after", [1, 5, 20])
def test_an_interrupted_restore_of_a_minio_home_is_finished_by_the_same_command(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)
    step = len(list_members(path)) + after
    interrupt_by_error(settings_of_a_new_process(monkeypatch), path, step=step)

    bring_back(settings_of_a_new_process(monkeypatch), path)

    assert content(open_store(there.store)) == content(open_store(settings.store))
    open_workspace(settings_of_a_new_process(monkeypatch))


def settings_of_a_new_process(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Read the settings as a command does to which nobody names a store."""
    monkeypatch.delenv("OCRLINE_STORE", raising=False)
    return settings_for("")


@pytest.mark.parametrize("run", ["under way", "asks"])
def test_what_ran_or_waited_for_a_person_is_crashed_and_holds_no_slot(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    bring_back(there, path)

    assert rows(there.home, "SELECT active_slots FROM concurrency_limit_v2") == [(0,)]
    state = (
        "SELECT s.type, s.message FROM flow_run r JOIN flow_run_state s ON s.id = r.state_id "
        f"WHERE r.name = '{run}'"
    )
    said = "It ran when the backup was made that this server was restored from"
    assert rows(there.home, state) == [("CRASHED", said)]


def test_a_backup_has_no_password_no_key_and_no_block(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    bring_back(there, path)

    assert not (there.home / "services" / "prefect-password").exists()
    assert not (there.home / "notifications.yaml").exists()
    assert not (there.home / "keys.json").exists()
    assert b"the-key" not in (there.home / "prefect" / "prefect.db").read_bytes()
    assert rows(there.home, "SELECT name FROM block_document") == []


def test_a_backup_with_secrets_has_them(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)

    bring_back(there, path)

    password = there.home / "services" / "prefect-password"
    notifications = there.home / "notifications.yaml"
    assert password.read_text() == "ocrline:the-password"
    assert (there.home / "keys.json").read_text() == '{"keys": []}'
    assert "me:hush@host" in notifications.read_text()
    assert {path.stat().st_mode & 0o777 for path in (password, notifications)} == {0o600}
    assert rows(there.home, "SELECT name FROM block_document") == [("chat",)]


@pytest.mark.parametrize("has_keys", [True, False])
def test_a_backup_with_secrets_but_without_keys_of_the_gateway_warns_of_an_open_one(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    has_keys: bool,
) -> None:
    if not has_keys:
        (settings.home / "keys.json").unlink()
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)

    assert run(["restore", str(path), "--store", there.store]) == 0

    said = "the backup has no keys of the gateway: until `ocrline keys add` the gateway asks nobody"
    assert (said in capsys.readouterr().out) != has_keys


def test_keys_that_were_here_before_are_said_to_be_those_that_are_asked_for(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)
    there.home.mkdir(mode=0o700)
    (there.home / "keys.json").write_text('{"keys": []}')

    assert run(["restore", str(path), "--store", there.store]) == 0

    said = capsys.readouterr().out
    assert "the gateway knows the keys of" in said
    assert "asks nobody" not in said


def test_what_doctor_could_not_remove_keeps_nobody_from_restoring(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)
    write_probe(open_store(there.store))

    bring_back(there, path)

    assert content(open_store(settings.store)).items() <= content(open_store(there.store)).items()


def test_others_of_the_machine_read_nothing_of_what_came_back(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(settings, tmp_path / "a.tar.zst", with_secrets=True)
    there = new_home(tmp_path / "other", monkeypatch)
    there.home.mkdir(mode=0o755)

    bring_back(there, path)

    secret = [there.home / name for name in ("prefect", "prefect/prefect.db", "services")]
    assert [each.stat().st_mode & 0o077 for each in secret] == [0, 0, 0]


def test_a_machine_without_prefect_is_saved_as_well(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings.home / "prefect" / "prefect.db").unlink()
    path = save(settings, tmp_path / "a.tar.zst")
    there = new_home(tmp_path / "other", monkeypatch)

    assert bring_back(there, path).database == ""
    assert not (there.home / "prefect").exists()


@pytest.mark.parametrize("kind", ["kill", "error"])
def test_killed_anywhere_nothing_uses_what_is_half_and_a_rerun_finishes_it(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = save(settings, tmp_path / "a.tar.zst")
    steps = list[str]()
    restore(
        new_home(tmp_path / "counted", monkeypatch),
        path,
        progress=lambda name, done, most: steps.append(name),
    )
    after_check = [number for number, name in enumerate(steps) if name == "restoring"]

    for step in sorted({0, *after_check[:: 8 if kind == "kill" else 20], after_check[-1]}):
        there = new_home(tmp_path / f"{step}", monkeypatch)
        (interrupt_by_kill if kind == "kill" else interrupt_by_error)(there, path, step=step)

        if step in after_check:
            with pytest.raises(BadInput, match=r"A restore into .* was not finished: run `ocrline"):
                open_workspace(there)
            with pytest.raises(BadInput, match="was not finished"):
                remember_endpoint(there, "http://127.0.0.1:1")
        else:
            assert not there.home.exists()
        bring_back(there, path)

        assert content(open_store(there.store)) == content(open_store(settings.store))
        assert rows(there.home, "SELECT count(*) FROM flow_run") == [(3,)]
        open_workspace(there)


@pytest.mark.parametrize(
    "damaged", [b'{"port": 70000}', b'{"port": 4200.5}', b'{"engines": 1}', b"\xff", b"[" * 100_000]
)
def test_of_a_damaged_file_nothing_is_remembered(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "stack.json").write_bytes(damaged)

    assert read_memory(tmp_path) == StackMemory()


def test_what_cannot_be_read_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_memory(tmp_path, StackMemory(port=4200))

    def fail(_: Path) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("pathlib.Path.read_bytes", fail)

    with pytest.raises(OSError, match="Too many"):
        read_memory(tmp_path)
