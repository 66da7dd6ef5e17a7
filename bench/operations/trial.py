"""One kill -9, or a cancel, at one moment of a run: what the UI said, and what was lost."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import psutil

from bench.operations.postgres import Postgres
from bench.operations.stack import ENDED, Stack

Target = Literal[
    "cancel", "flow", "job", "worker", "worker and flow", "server", "gateway", "database"
]
"""What is killed; `cancel`: nothing is, the run is cancelled as the UI does it."""
Moment = Literal["preparing", "training", "deploying"]
CHECKPOINT_S = 1.0
"""Between two checkpoints of the training."""
POLL_S = 0.05
PATIENCE_S = 600
DATABASE_GONE_S = 5
"""Until somebody starts PostgreSQL again, as its own service manager would."""


@dataclass(frozen=True)
class Outcome:
    """What was observed of a kill.

    Attributes:
        state: Final state in the UI.
        message: What it says there.
        slot_free_s: From the kill until the run holds no slot of its queue.
        recovered_s: From the kill until every part is up.
        lost_s: Of work before the kill that no checkpoint kept, and that is done again.
        again: Final state of the same run, started again; empty: it completed by itself.
        leftovers: Processes of the run that lived when its end was seen and 20 s later.
    """

    state: str
    message: str
    slot_free_s: float
    recovered_s: float
    lost_s: float
    again: str
    leftovers: int


class Missed(RuntimeError):
    """The moment was over before the kill, or what was to be killed is not there then."""


def try_kill(
    stack: Stack, target: Target, moment: Moment, number: int, postgres: Postgres | None = None
) -> Outcome:
    """Start a run, kill one part at one moment, and watch until all is settled.

    Args:
        stack: Up and idle.
        target: What is killed.
        moment: When.
        number: Of the trial; another one makes another run.
        postgres: The database, if that is the target.

    Raises:
        Missed: See there.
    """
    until, overrides = _run_for(moment, number)
    run = stack.start("retrain-lines", "smoke", *overrides, until=until)
    _wait(lambda: _is_at(stack, run, moment), f"{moment} of run {run}")
    flow = stack.process_of(run)
    if flow is None:
        raise Missed(f"the run has no process while {moment}")
    family = [flow, *flow.children(recursive=True)]
    killed, killed_at = time.monotonic(), time.time()
    if target == "cancel":
        stack.ask("POST", f"/flow_runs/{run}/set_state", {"state": {"type": "CANCELLING"}})
    else:
        _kill(stack, target, flow, postgres)
    kept_at = _kept_at(stack)
    ended: dict[str, Any] = {}
    slot_free_s = recovered_s = 0.0
    while not (slot_free_s and recovered_s):
        now = time.monotonic() - killed
        ended = ended or _ended(stack.look(run))
        slot_free_s = slot_free_s or (now if ended else 0.0)
        recovered_s = recovered_s or (now if _is_up(stack) else 0.0)
        if now > PATIENCE_S:
            raise Missed(f"not settled after {PATIENCE_S} s")
        time.sleep(POLL_S)
    _, alive = psutil.wait_procs(family, timeout=20)
    again = ""
    if ended["state_type"] != "COMPLETED":
        kept_at = _kept_at(stack)  # a job that is told to end keeps its work
        rerun = stack.start("retrain-lines", "smoke", *overrides, until=until)
        again = _wait(lambda: _ended(stack.look(rerun)), "the rerun")["state_name"]
    is_lost = moment == "training" and (again or target == "job")
    return Outcome(
        state=ended["state_name"],
        message=ended["state"]["message"] or "",
        slot_free_s=slot_free_s,
        recovered_s=recovered_s,
        lost_s=max(0.0, killed_at - kept_at) if is_lost else 0.0,
        again=again,
        leftovers=len(alive),
    )


def _run_for(moment: Moment, number: int) -> tuple[str, list[str]]:
    """Return the last stage of a run, and what makes it come to a moment afresh, and soon."""
    common = [f"training.checkpoint_every_s={CHECKPOINT_S}", f"name=crash{number}"]
    match moment:
        case "preparing":
            # Prefect says with delay that a task runs: it has to last for some seconds.
            many = "dataset.synthesis.count=3000"
            return "prepare", [*common, f"dataset.seed={number}", many]
        case "training":
            return "train", [*common, f"training.seed={number}", "training.epochs=20"]
    return "deploy", common


def _is_at(stack: Stack, run: str, moment: Moment) -> bool:
    if found := _ended(stack.look(run)):
        raise Missed(f"the run was {found['state_name']} before it was seen {moment}")
    match moment:
        case "preparing":
            return stack.is_at(run, "prepare-lines")
        case "training":
            return bool(list(stack.home.glob("jobs/train-*/state/0*")))
    return stack.is_at(run, "deploy")


def _kill(stack: Stack, target: Target, flow: psutil.Process, postgres: Postgres | None) -> None:
    names = {"worker": "worker", "server": "prefect", "gateway": stack.gateway}
    match target:
        case "flow":
            flow.kill()
        case "job":
            jobs = [each for each in flow.children() if "training" in each.cmdline()]
            if not jobs:
                raise Missed("no job runs then")
            jobs[0].kill()
        case "worker and flow":
            _kill(stack, "worker", flow, None)
            with suppress(
                psutil.NoSuchProcess
            ):  # it ends with its worker, if that is noticed first
                flow.kill()
        case "database":
            if postgres is None:
                raise Missed("no PostgreSQL")
            postgres.kill()
            time.sleep(DATABASE_GONE_S)
            postgres.restart()
        case _:
            found = stack.service(names[target])
            if found is None:
                raise Missed(f"{target} does not run")
            process = psutil.Process(found.pid)
            process.kill()
            psutil.wait_procs([process], timeout=10)  # until then it would be taken for up again


def _kept_at(stack: Stack) -> float:
    """Return when the training's last checkpoint was written, in seconds since 1970."""
    states = stack.home.glob("jobs/train-*/state/0*")
    return max((each.stat().st_mtime for each in states), default=0.0)


def _is_up(stack: Stack) -> bool:
    if any(stack.service(name) is None for name in stack.names):
        return False
    return set(stack.states().values()) == {"up"}


def _ended(run: dict[str, Any]) -> dict[str, Any]:
    return run if run.get("state_type") in ENDED else {}


def _wait(ask: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(POLL_S)
    raise Missed(f"waited in vain for {what}")
