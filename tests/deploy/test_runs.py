"""What is told of runs when they are stopped."""

from collections.abc import Mapping
from typing import Any

import pytest

from deploy.api import PrefectApi
from deploy.runs import POOL, drain, name_runs_of_terminals


class Stopping(PrefectApi):
    """Stands for a server whose one run stops when it is told to."""

    def __init__(self, name: str, *, state: str = "RUNNING", pool: str | None = POOL) -> None:
        super().__init__("http://127.0.0.1:9", "")
        of = {"work_pool_name": pool, "state_type": state}
        self._runs = [{"id": "1", "name": name, "infrastructure_pid": None, **of}]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        if path == "/flow_runs/filter":
            asked = body["flow_runs"]["state"]["type"]["any_"]
            return [run for run in self._runs if run["state_type"] in asked]
        self._runs.clear()
        return {"status": "ACCEPT"}

    def patch(self, path: str, body: Mapping[str, Any]) -> None:
        """Take it."""


def test_the_name_of_a_run_cannot_forge_a_line() -> None:
    said = list[str]()
    api = Stopping("drift \x1b[31m\nocrline is down")

    drain(api, said.append)
    api.close()

    (line,) = said
    assert line.startswith("stopping drift  [31m ocrline is down; run again, a training goes on")


def test_a_question_that_ends_is_said_to_be_asked_again() -> None:
    said = list[str]()
    api = Stopping("plates", state="PAUSED")

    drain(api, said.append)
    api.close()

    assert said == ["stopping plates, which waits for a person and asks again when it is run again"]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("RUNNING", "plates is run by a terminal, which has to end it: Ctrl-C there"),
        (
            "PAUSED",
            (
                "plates waits in a terminal for a person, and goes on waiting if that is still "
                "there: ocrline approve or reject answers it, Ctrl-C there ends it"
            ),
        ),
    ],
)
def test_runs_of_terminals_are_named_and_those_of_the_worker_are_not(state: str, said: str) -> None:
    told = list[str]()
    for pool in (None, POOL):
        api = Stopping("plates", state=state, pool=pool)
        name_runs_of_terminals(api, told.append)
        api.close()

    assert told == [said]
