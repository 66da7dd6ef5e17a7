"""What is told of runs when they are stopped."""

from collections.abc import Mapping
from typing import Any

from deploy.api import PrefectApi
from deploy.runs import drain


class Stopping(PrefectApi):
    """Stands for a server whose one run stops when it is told to."""

    def __init__(self, name: str, *, state: str = "RUNNING") -> None:
        super().__init__("http://127.0.0.1:9", "")
        self._runs = [{"id": "1", "name": name, "infrastructure_pid": None, "state_type": state}]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        if path == "/flow_runs/filter":
            return list(self._runs)
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
    assert line.startswith(
        "stopping drift  [31m ocrline is down, which goes on from its checkpoint"
    )


def test_a_question_that_ends_is_said_to_be_asked_again() -> None:
    said = list[str]()
    api = Stopping("plates", state="PAUSED")

    drain(api, said.append)
    api.close()

    assert said == ["stopping plates, which waits for a person and asks again when it is run again"]
