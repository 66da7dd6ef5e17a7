"""What brings back services that ended by themselves: each as it was, and no other."""

import errno
import json
import os
import time
from pathlib import Path

import psutil
import pytest

from configs.settings import Settings
from deploy import keeper
from deploy.background import find_service, start_service, stop_service
from deploy.keeper import cut_logs, find_dead
from deploy.ports import pick_port
from deploy.services import (
    ensure_gateway,
    ensure_gateways,
    services_folder,
    stop_services,
)

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def folder() -> Path:
    return services_folder(Settings())


def kill(folder: Path, name: str) -> None:
    found = find_service(folder, name)
    assert found is not None
    process = psutil.Process(found.pid)
    process.kill()
    process.wait()


def test_every_gateway_that_died_is_brought_back_where_it_was(folder: Path) -> None:
    endpoints = [f"http://127.0.0.1:{pick_port(0)}" for _ in range(2)]
    first = [ensure_gateway(Settings(), endpoint) for endpoint in endpoints]
    names = sorted(service.name for service in first if service)
    for name in names:
        kill(folder, name)
    dead = find_dead(folder)

    ensure_gateways(Settings())

    again = [find_service(folder, name) for name in names]
    assert dead == names
    assert find_dead(folder) == []
    assert sorted(service.url for service in again if service) == sorted(endpoints)


def test_what_was_stopped_or_cannot_be_read_is_not_missed(folder: Path) -> None:
    ensure_gateway(Settings(), f"http://127.0.0.1:{pick_port(0)}")
    stop_services(Settings())
    (folder / "worker.json").write_bytes(b"")  # the power went while it was written

    dead = find_dead(folder)

    ensure_gateways(Settings())
    assert dead == []
    assert stop_services(Settings()) == []


def test_a_service_that_stays_away_is_not_said_to_be_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port = pick_port(0)
    name = f"gateway-{port}"
    ensure_gateway(Settings(), f"http://127.0.0.1:{port}")
    kill(folder, name)
    monkeypatch.setattr(keeper, "bring_back", lambda _: None)

    keeper.look(Settings())

    said = [line.partition(" ")[2] for line in capsys.readouterr().out.splitlines()]
    assert said == [f"ended: {name}", f"still ended: {name}"]


def test_a_log_that_grew_is_emptied_while_it_is_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "MOST_LOG_BYTES", 100)
    start_service(
        folder,
        "chatter",
        command=["sh", "-c", "while echo a line of the log; do sleep .01; done"],
        url="",
        environment={},
        is_up=lambda: (folder / "chatter.log").stat().st_size > keeper.MOST_LOG_BYTES,
    )
    (folder / "quiet.log").write_text("begun\n")

    cut_logs(folder)

    before = (folder / "chatter.log.1").stat().st_size
    assert before > keeper.MOST_LOG_BYTES
    assert written_after(folder / "chatter.log") == {"a line of the log"}
    stop_service(folder, "chatter")
    assert (folder / "quiet.log").read_text() == "begun\n"
    assert not (folder / "quiet.log.1").exists()


def test_a_log_is_emptied_where_there_is_no_room_for_what_it_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "MOST_LOG_BYTES", 100)

    def fill(_: Path, copy: Path) -> None:
        copy.write_bytes(b"some of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("deploy.keeper.shutil.copy", fill)
    (folder / "gateway-8868.log").write_bytes(b"x" * 101)

    cut_logs(folder)

    assert (folder / "gateway-8868.log").read_bytes() == b""
    assert not (folder / "gateway-8868.log.1").exists()


def test_what_cannot_be_emptied_is_named_and_keeps_no_other_log_from_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "MOST_LOG_BYTES", 0)
    folder.mkdir(parents=True, exist_ok=True)
    logs = [folder / f"gateway-{port}.log" for port in (1, 2)]
    for log in logs:
        log.write_text("long\n")
    (folder / "gone.log").symlink_to(folder / "nowhere")
    (folder / "folder.log").mkdir()

    left = sorted(cut_logs(folder))

    assert [log.read_text() for log in logs] == ["", ""]
    assert [said.partition(" is not kept from growing: [")[0] for said in left] == [
        "folder.log",
        "gone.log",
    ]


def remember_keeper(folder: Path, *, pid: int) -> None:
    """Write what a folder has of a keeper that runs."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"name": "keeper", "pid": pid, "started": 0.0, "url": "", "log": str(folder / "k.log")}
    (folder / "keeper.json").write_text(json.dumps(kept))


@pytest.mark.parametrize("is_there", [False, True], ids=["moved", "another home in its place"])
def test_the_keeper_of_a_home_that_was_moved_says_so_and_ends(
    is_there: bool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    remember_keeper(folder, pid=os.getpid())
    looked: list[Settings] = []

    def look(settings: Settings) -> None:
        looked.append(settings)
        folder.parent.rename(folder.parent.with_name("moved"))
        if is_there:
            remember_keeper(folder, pid=os.getpid() + 1)

    monkeypatch.setattr(keeper, "look", look)
    monkeypatch.setattr("deploy.keeper.time.sleep", lambda _: None)

    keeper.main()

    (said,) = capsys.readouterr().out.splitlines()
    assert len(looked) == 1
    assert f"{Settings().home} does not know this keeper any more" in said
    assert folder.exists() == is_there


def test_what_cannot_be_emptied_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(keeper, "MOST_LOG_BYTES", 0)
    remember_keeper(folder, pid=os.getpid())
    (folder / "gone.log").symlink_to(folder / "nowhere")
    pauses = iter([None, None, KeyboardInterrupt()])

    def sleep(_: float) -> None:
        if ends := next(pauses):
            raise ends

    monkeypatch.setattr("deploy.keeper.time.sleep", sleep)

    with pytest.raises(KeyboardInterrupt):
        keeper.main()

    assert capsys.readouterr().out.count("gone.log is not kept from growing") == 1


def written_after(log: Path) -> set[str]:
    """Return the whole lines of a log that was emptied, once there are some."""
    while len(lines := log.read_text().splitlines(keepends=True)) < 2:
        time.sleep(0.01)
    return {line.strip() for line in lines if line.endswith("\n")}


def test_the_keeper_outlives_whatever_hinders_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    remember_keeper(folder, pid=os.getpid())
    hindrances: list[BaseException] = [KeyboardInterrupt(), ValueError("no port"), OSError("full")]
    pauses: list[float] = []
    monkeypatch.setattr("deploy.keeper.time.sleep", pauses.append)

    def look(_: Settings) -> None:
        raise hindrances.pop()

    monkeypatch.setattr(keeper, "look", look)

    with pytest.raises(KeyboardInterrupt):
        keeper.main()

    assert [line.partition(" ")[2] for line in capsys.readouterr().out.splitlines()] == [
        "OSError: full",
        "ValueError: no port",
    ]
    assert pauses == [2, 4, 8]


def test_a_log_without_room_does_not_end_the_keeper(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def fail(text: str, **_: object) -> None:
        tried.append(text)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("builtins.print", fail)

    keeper.say("ended: prefect")

    assert [text.partition(" ")[2] for text in tried] == ["ended: prefect"]
