"""Background services: started once, remembered, stopped by id with their children."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from deploy.background import (
    Service,
    ServiceFailed,
    clean_environment,
    ensure_service,
    find_service,
    python_module,
    start_service,
    stop_service,
)
from deploy.ports import pick_port
from deploy.web import answers

STARTS_A_CHILD = """
import time
from pathlib import Path
from deploy.background import python_module, start_service
web = ["http.server", "{port}", "--bind", "127.0.0.1"]
start_service(
    Path("{folder}"),
    "child",
    command=python_module(*web),
    url="",
    environment={{}},
    is_up=lambda: True,
)
time.sleep(600)
"""

MEMORY = '{{"name": "web", "pid": {}, "started": {}, "url": "", "log": ""}}'
NUMBERS = ((-1, 0), (1.5, 0), (1, "null"))
DAMAGED = (b"", b"\xff", b"[" * 100_000, *(MEMORY.format(*n).encode() for n in NUMBERS))
DIES_BEFORE_IT_REMEMBERS = """
import os
from pathlib import Path
from deploy import background
background.written_whole = lambda path: os.kill(os.getpid(), 9)
background.start_service(
    Path("{folder}"),
    "web",
    command=["/bin/sh", "-c", "sleep 600; true", "{folder}"],
    url="",
    environment={{}},
    is_up=lambda: True,
)
"""


def start_web(folder: Path, *, replaces: bool = False, **environment: str) -> Service:
    port = pick_port(0)
    url = f"http://127.0.0.1:{port}"
    return ensure_service(
        folder,
        "web",
        command=python_module("http.server", str(port), "--bind", "127.0.0.1", "-d", str(folder)),
        url=url,
        environment=environment,
        is_up=lambda: (found := find_service(folder, "web")) is not None and answers(found.url),
        replaces=replaces,
    )


def test_a_started_service_answers_is_found_again_and_stops(tmp_path: Path) -> None:
    service = start_web(tmp_path)

    found = find_service(tmp_path, "web")
    stopped = stop_service(tmp_path, "web")

    assert found == service
    assert stopped
    assert not psutil.pid_exists(service.pid) or _is_zombie(service.pid)
    assert find_service(tmp_path, "web") is None


def test_a_service_is_found_when_the_clock_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_web(tmp_path)
    started_at = psutil.boot_time()
    monkeypatch.setattr("psutil._psplatform.boot_time", lambda: started_at + 5)

    found = find_service(tmp_path, "web")

    assert found == service
    assert stop_service(tmp_path, "web")


def test_stopping_what_never_ran_does_nothing(tmp_path: Path) -> None:
    assert not stop_service(tmp_path, "web")


def test_a_later_process_of_the_same_id_is_not_taken_for_the_service(tmp_path: Path) -> None:
    service = start_web(tmp_path)
    memory = tmp_path / "web.json"
    kept = memory.read_text()
    memory.write_text(kept.replace(str(service.started), str(service.started - 60)))

    found = find_service(tmp_path, "web")

    memory.write_text(kept)
    stop_service(tmp_path, "web")
    assert found is None


def test_a_service_of_the_same_environment_is_reused(tmp_path: Path) -> None:
    service = start_web(tmp_path, STORE="a")
    up = iter([False, False, True])

    again = ensure_service(
        tmp_path,
        "web",
        command=python_module("never_started"),
        url=service.url,
        environment={"STORE": "a"},
        is_up=lambda: next(up),
    )

    stop_service(tmp_path, "web")
    assert again == service
    assert list(up) == []  # it was waited for


def test_a_service_that_does_not_come_up_any_more_is_replaced(tmp_path: Path) -> None:
    hanging = start_web(tmp_path)

    def is_up() -> bool:
        found = find_service(tmp_path, "web")
        return found is not None and found.pid != hanging.pid

    other = ensure_service(
        tmp_path,
        "web",
        command=["sleep", "600"],
        url=hanging.url,
        environment={},
        is_up=is_up,
        timeout_s=0.3,
    )

    gone = not psutil.pid_exists(hanging.pid) or _is_zombie(hanging.pid)
    stop_service(tmp_path, "web")
    assert gone
    assert other.pid != hanging.pid


@pytest.mark.parametrize("damaged", DAMAGED)
def test_of_a_damaged_memory_nothing_is_recalled(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "web.json").write_bytes(damaged)
    (tmp_path / "folder.json").mkdir()

    assert find_service(tmp_path, "web") is None
    assert find_service(tmp_path, "folder") is None


def test_a_service_of_another_environment_is_left_unless_told(tmp_path: Path) -> None:
    service = start_web(tmp_path, TOKEN="old-and-secret")
    kept = (tmp_path / "web.json").read_text()

    left = start_web(tmp_path, TOKEN="new")
    other = start_web(tmp_path, TOKEN="new", replaces=True)

    stop_service(tmp_path, "web")
    assert left == service != other
    assert not psutil.pid_exists(service.pid) or _is_zombie(service.pid)
    assert "old-and-secret" not in kept


def test_a_service_that_dies_quotes_its_log(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailed, match="No module named nothing_of_the_kind"):
        start_service(
            tmp_path,
            "broken",
            command=python_module("nothing_of_the_kind"),
            url="http://127.0.0.1:1",
            environment={},
            is_up=lambda: False,
        )


def test_a_service_outlives_the_service_that_started_it(tmp_path: Path) -> None:
    port = pick_port(0)
    (tmp_path / "parent.py").write_text(STARTS_A_CHILD.format(folder=tmp_path, port=port))
    start_service(
        tmp_path,
        "parent",
        command=python_module("parent"),
        url="",
        environment={"PYTHONPATH": str(tmp_path)},
        is_up=lambda: answers(f"http://127.0.0.1:{port}"),
    )

    stopped = stop_service(tmp_path, "parent")

    outlived = find_service(tmp_path, "child")
    stop_service(tmp_path, "child")
    assert stopped
    assert outlived is not None


def test_what_was_not_remembered_ends_with_who_started_it(tmp_path: Path) -> None:
    code = DIES_BEFORE_IT_REMEMBERS.format(folder=tmp_path)

    starter = subprocess.run([sys.executable, "-c", code], env=clean_environment(), check=False)

    assert starter.returncode == -9
    named = [each for each in psutil.process_iter(["cmdline"]) if _names(each, tmp_path)]
    _, alive = psutil.wait_procs(named, timeout=60)
    for process in alive:
        process.kill()
    assert not alive
    assert find_service(tmp_path, "web") is None


def test_a_stale_memory_is_forgotten(tmp_path: Path) -> None:
    stale = Service(name="web", pid=2**22, started=0.0, url="", log="")
    (tmp_path / "web.json").write_text(json.dumps(asdict(stale)))

    stopped = stop_service(tmp_path, "web")

    assert not stopped
    assert not (tmp_path / "web.json").exists()


def test_children_cache_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    assert "PYTHONDONTWRITEBYTECODE" not in clean_environment()


def test_children_run_our_modules_and_not_those_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "serving.py").write_text("print('a file of the user')")
    monkeypatch.chdir(tmp_path)
    where = "import serving; print(serving.__file__)"

    ran = subprocess.run(
        [sys.executable, "-c", where],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert Path(ran.stdout.strip()).parts[-2:] == ("serving", "__init__.py")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "127.0.0.1,localhost"),
        ({"NO_PROXY": "a.example, localhost"}, "a.example,localhost,127.0.0.1"),
        ({"NO_PROXY": "a", "no_proxy": "b"}, "b,127.0.0.1,localhost"),
    ],
)
def test_children_reach_loopback_without_the_proxy(
    given: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    environment = clean_environment()

    assert environment["NO_PROXY"] == environment["no_proxy"] == expected


def test_an_answer_on_loopback_does_not_come_through_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")

    service = start_web(tmp_path)

    answered = answers(service.url)

    stop_service(tmp_path, "web")
    assert answered


def _names(process: psutil.Process, folder: Path) -> bool:
    return str(folder) in (process.info["cmdline"] or ())


def _is_zombie(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
