"""`ocrline up`, `status` and `down` as a user runs them, and a stack that is killed."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from configs.presets import load_params
from deploy.api import PrefectApi
from deploy.background import Service, find_service
from tests.end_to_end.conftest import Machine, new_machine

pytestmark = pytest.mark.timeout(900)
PATIENCE_S = 240


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine whose stack is up."""
    with new_machine(tmp_path_factory.mktemp("stack")) as machine:
        finished = machine.run("up", "--endpoint", machine.endpoint)
        assert finished.code == 0, finished.err
        yield machine


def test_up_says_where_everything_is_and_repeated_changes_nothing(stack: Machine) -> None:
    first = pids(stack)

    again = stack.run("up")

    assert again.code == 0, again.err
    assert pids(stack) == first
    assert {part["state"] for part in status(stack)["parts"]} == {"up"}
    for said in (stack.endpoint, str(stack.home / "services" / "prefect-password")):
        assert said in again.err.replace("\n", "")


def test_status_names_queues_and_what_runs(stack: Machine) -> None:
    queues = {queue["name"]: queue for queue in status(stack)["queues"]}

    assert sorted(queues) == ["cpu", "gpu", "short"]
    assert queues["cpu"] == {
        "name": "cpu",
        "limit": 1,
        "is_paused": False,
        "running": 0,
        "waiting": 0,
    }


def test_a_worker_that_died_is_brought_back_by_itself(stack: Machine) -> None:
    before = kill(stack, "worker")

    again = wait_until(lambda: service(stack, "worker"), "another worker")

    assert again.pid != before


def test_a_stack_that_lost_its_power_comes_back_with_its_runs(stack: Machine) -> None:
    run = start_run(stack, until="prepare")
    ended = wait_until(lambda: final(stack, run), "the end of the run")
    for name in ("keeper", "worker", f"gateway-{stack.endpoint.rpartition(':')[2]}", "prefect"):
        kill(stack, name)
    folder = stack.home / "services"
    (folder / "prefect.json").write_text('{"name": "pref')  # half of it was written
    (folder / "worker.json").write_bytes(b"")

    finished = stack.run("up")

    assert finished.code == 0, finished.err
    assert final(stack, run)["state"] == ended["state"]
    assert ended["state_type"] == "COMPLETED"
    assert {part["state"] for part in status(stack)["parts"]} == {"up"}


def test_down_leaves_nothing_and_what_comes_up_then_knows_the_runs(stack: Machine) -> None:
    run = start_run(stack, until="prepare")
    wait_until(lambda: final(stack, run), "the end of the run")

    down = stack.run("down", "--json")

    assert set(down.json["stopped"]) >= {"keeper", "worker", "prefect"}
    assert processes_of(stack.home) == []
    assert stack.run("up").code == 0
    assert final(stack, run)["state_type"] == "COMPLETED"


def status(machine: Machine) -> Any:
    return machine.run("status", "--json").json


def service(machine: Machine, name: str) -> Service | None:
    return find_service(machine.home / "services", name)


def pids(machine: Machine) -> dict[str, int]:
    return {part["name"]: part["pid"] for part in status(machine)["parts"]}


def kill(machine: Machine, name: str) -> int:
    found = service(machine, name)
    assert found is not None, name
    os.kill(found.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(found.pid)] * psutil.pid_exists(found.pid), timeout=30)
    return found.pid


def api(machine: Machine) -> PrefectApi:
    folder = machine.home / "services"
    found = find_service(folder, "prefect")
    assert found is not None
    return PrefectApi(found.url, (folder / "prefect-password").read_text())


def start_run(machine: Machine, *overrides: str, until: str) -> str:
    """Start a run as the UI does; return its id."""
    every = [f"deployment.endpoint={machine.endpoint}", *overrides]
    params = load_params("smoke", overrides=every).model_dump(mode="json")
    asking = api(machine)
    deployment = asking.get("/deployments/name/retrain-lines/local")
    body = {"parameters": {"params": params, "until": until}}
    run = asking.post(f"/deployments/{deployment['id']}/create_flow_run", body)
    asking.close()
    return str(run["id"])


def final(machine: Machine, run: str) -> Any:
    asking = api(machine)
    found = asking.get(f"/flow_runs/{run}")
    asking.close()
    return found if found["state_type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED") else None


def processes_of(home: Path) -> list[str]:
    """Return the commands of all processes that work in a home."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("OCRLINE_HOME") == str(home):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def wait_until(ask: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(0.5)
    return pytest.fail(f"waited in vain for {what}")
