"""One automation of a name, whoever makes it at the same time."""

import asyncio
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from prefect.events.schemas.automations import AutomationCore

from deploy.automations.automation import set_automation
from deploy.automations.lost_runs import silent_runs

SHUFFLED = """
import random
from prefect.events.schemas.automations import AutomationCore
from deploy.automations.automation import is_other
from deploy.automations.lost_runs import silent_runs
said = silent_runs().model_dump(mode="json")
differing = 0
for _ in range(200):
    random.shuffle(said["trigger"]["expect"])
    differing += is_other(AutomationCore.model_validate(said), silent_runs())
print(differing)
"""


class Server:
    """Automations by their id; ``beside``: what another worker makes at the same moment."""

    def __init__(self, beside: AutomationCore | None = None) -> None:
        self.kept: dict[UUID, Any] = {}
        self.beside = beside

    async def read_automations_by_name(self, name: str) -> list[Any]:
        return [each for each in self.kept.values() if each.name == name]

    async def create_automation(self, wanted: AutomationCore) -> None:
        for each in (wanted, self.beside):
            if each is not None:
                self.keep(UUID(int=len(self.kept)), each)

    async def update_automation(self, id_: UUID, wanted: AutomationCore) -> None:
        self.keep(id_, wanted)

    async def delete_automation(self, id_: UUID) -> None:
        del self.kept[id_]

    def keep(self, id_: UUID, wanted: AutomationCore) -> None:
        said = dict(wanted) | {"id": id_, "model_dump": wanted.model_dump}
        self.kept[id_] = SimpleNamespace(**said)


def make(server: Server) -> None:
    asyncio.run(set_automation(server, silent_runs()))  # type: ignore[arg-type]


def test_of_two_that_were_made_at_once_one_stays() -> None:
    server = Server(beside=silent_runs())

    make(server)
    make(server)

    assert list(server.kept) == [UUID(int=0)]


def test_what_is_off_stays_off_also_where_it_had_a_twin() -> None:
    server = Server()
    server.keep(UUID(int=0), silent_runs())
    server.keep(UUID(int=1), silent_runs().model_copy(update={"enabled": False}))

    make(server)

    (kept,) = server.kept.values()
    assert not kept.enabled


def test_the_order_in_which_a_server_lists_events_is_no_difference() -> None:
    # Of this seed two events meet in a set, whose order is then that of the list.
    variables = {**os.environ, "PYTHONHASHSEED": "2"}

    said = subprocess.run(
        [sys.executable, "-c", SHUFFLED], env=variables, capture_output=True, text=True, check=True
    )

    assert said.stdout == "0\n"
