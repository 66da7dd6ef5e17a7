"""`ocrline up`, `status` and `down` as a user runs them, and a stack that is killed."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from bench.operations.stack import ENDED, Stack, processes_of, running_stack

pytestmark = pytest.mark.timeout(900)
PATIENCE_S = 300
LONG = ("training.epochs=60", "training.checkpoint_every_s=0.5")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


def test_up_repeated_changes_nothing(stack: Stack) -> None:
    parts = [name for name in stack.names if name != "keeper"]
    first = [stack.service(name) for name in parts]

    stack.run("up")

    assert [stack.service(name) for name in parts] == first
    assert set(stack.states().values()) == {"up"}


def test_another_token_reaches_every_part(stack: Stack) -> None:
    stack.variables = {**stack.variables, "OCRLINE_TOKEN": "another"}

    stack.run("up")

    found = [stack.service(name) for name in ("worker", stack.gateway, "keeper")]
    processes = [psutil.Process(each.pid) for each in found if each]
    assert [each.environ()["OCRLINE_TOKEN"] for each in processes] == ["another"] * 3
    assert set(stack.states().values()) == {"up"}
    assert "ended" not in (stack.home / "services" / "keeper.log").read_text()


def test_status_counts_the_runs_of_every_queue(stack: Stack) -> None:
    queues = {queue["name"]: queue for queue in json.loads(stack.run("status", "--json"))["queues"]}

    assert sorted(queues) == ["cpu", "gpu", "short"]
    cpu = {"name": "cpu", "limit": 1, "is_paused": False, "running": 0, "waiting": 0}
    assert queues["cpu"] == cpu


def test_a_gateway_that_died_is_brought_back_by_itself(stack: Stack) -> None:
    before = kill(stack, stack.gateway)

    again = wait_until(lambda: stack.service(stack.gateway), "another gateway")

    assert again.pid != before


def test_cancelling_two_trainings_in_the_ui_leaves_no_process_and_frees_the_slot(
    stack: Stack,
) -> None:
    every = [f"{net}.checkpoint_every_s=0.5" for net in ("detector", "recogniser")]
    run = stack.start("retrain-pages", "smoke-pages", *every, until="train")
    wait_until(lambda: len(list(stack.home.glob("jobs/train-*/state/0*"))) > 1, "both trainings")
    flow = stack.process_of(run)
    assert flow is not None
    family = [flow, *flow.children(recursive=True)]

    # As the UI asks for it.
    stack.ask("POST", f"/flow_runs/{run}/set_state", {"state": {"type": "CANCELLING"}})

    ended = wait_until(lambda: final(stack, run), "the end of the run")
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
    assert ended["state_type"] == "CANCELLED"
    assert alive == []
    assert running(stack) == 0


@pytest.mark.slow
def test_down_tells_a_training_to_stop_and_the_next_run_goes_on_from_its_checkpoint(
    stack: Stack,
) -> None:
    run = stack.start("retrain-lines", "smoke", *LONG, until="train")
    wait_until(lambda: kept(stack), "a checkpoint")

    down = json.loads(stack.run("down", "--json"))

    assert set(down["stopped"]) == set(stack.names)
    assert processes_of(stack.home) == []
    before = kept(stack)
    assert before
    stack.run("up")
    assert final(stack, run)["state_type"] == "CANCELLED"
    again = stack.start("retrain-lines", "smoke", *LONG, until="train")
    wait_until(lambda: kept(stack) and kept(stack) != before, "a later checkpoint")
    assert min(kept(stack)) >= min(before)  # it did not begin anew
    stack.ask("POST", f"/flow_runs/{again}/set_state", {"state": {"type": "CANCELLING"}})
    wait_until(lambda: final(stack, again), "the end of the run")


def test_a_stack_that_lost_its_power_comes_back_with_its_runs(stack: Stack) -> None:
    run = stack.start("retrain-lines", "smoke", until="prepare")
    ended = wait_until(lambda: final(stack, run), "the end of the run")
    where = stack.service("prefect")
    for name in ("keeper", "worker", stack.gateway, "prefect"):
        kill(stack, name)
    folder = stack.home / "services"
    (folder / "prefect.json").write_text('{"name": "pref')  # half of it was written
    (folder / "worker.json").write_bytes(b"")

    stack.run("up")

    again = stack.service("prefect")
    assert where is not None
    assert again is not None
    assert again.url == where.url
    assert final(stack, run)["state"] == ended["state"]
    assert ended["state_type"] == "COMPLETED"
    assert set(stack.states().values()) == {"up"}


def kept(stack: Stack) -> list[str]:
    return sorted(path.name for path in stack.home.glob("jobs/train-*/state/0*"))


def running(stack: Stack) -> int:
    queues = json.loads(stack.run("status", "--json"))["queues"]
    return sum(queue["running"] for queue in queues)


def kill(stack: Stack, name: str) -> int:
    found = stack.service(name)
    assert found is not None, name
    process = psutil.Process(found.pid)
    process.kill()
    psutil.wait_procs([process], timeout=30)
    return found.pid


def final(stack: Stack, run: str) -> Any:
    found = stack.look(run)
    return found if found.get("state_type") in ENDED else None


def wait_until(ask: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(0.2)
    return pytest.fail(f"waited in vain for {what}")
