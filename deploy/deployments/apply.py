"""Apply what is declared: find out what differs, make it so, remember the projects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from filelock import FileLock
from prefect.client.orchestration import SyncPrefectClient, get_client

from configs.settings import Settings
from deploy.deployments.declaration import Declaration
from deploy.deployments.difference import Change, compare, differing
from deploy.deployments.facts import facts_of_declared
from deploy.deployments.remembered import (
    Names,
    declare_all,
    find_gone,
    name_sources,
    read_remembered,
    remember,
)
from deploy.deployments.server import Stored, read_stored
from deploy.deployments.writing import change, create, retire
from deploy.pool import ensure_pool

LOCK = "deployments.lock"
TIMEOUT_S = 180


@dataclass(frozen=True)
class Plan:
    """What an apply would do.

    Attributes:
        names: What is to be remembered.
        gone: Files of projects that were applied before, and are gone or out of reach.
        declared: All deployments that there are to be, by full name.
        stored: All that there are, by full name.
        changes: What becomes of each.
    """

    names: Names
    gone: Sequence[str]
    declared: dict[str, Declaration]
    stored: dict[str, Stored]
    changes: list[Change]

    @property
    def differs(self) -> bool:
        """Whether there is anything to do."""
        return bool(differing(self.changes))


@contextmanager
def planning(
    settings: Settings, given: Sequence[str] = (), *, keeps_gone: bool = False
) -> Iterator[tuple[Plan, SyncPrefectClient]]:
    """Find out what differs, while no other apply of this machine changes it.

    Args:
        settings: Of this machine; the environment names Prefect's server.
        given: Presets and YAML files beside those that were applied before.
        keeps_gone: Whether the deployments of a file that is gone stay as they are, as nobody is
            there to say that it is gone for good.

    Raises:
        ConfigError: A project cannot be read.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        FileLock(settings.home / LOCK, timeout=TIMEOUT_S),
        get_client(sync_client=True) as client,
    ):
        before = read_remembered(settings.home)
        gone = find_gone(before)
        kept = {source: before[source] for source in gone if keeps_gone}
        groups = declare_all(name_sources(before, given))
        names = {source: [each.full_name for each in group] for source, group in groups.items()}
        declared = {each.full_name: each for group in groups.values() for each in group}
        stored = read_stored(client)
        changes = compare(
            {name: facts_of_declared(each) for name, each in declared.items()},
            {name: each.describe() for name, each in stored.items()},
            {name for source in before.keys() - kept.keys() for name in before[source]},
        )
        yield Plan({**kept, **names}, gone, declared, stored, changes), client


def carry_out(plan: Plan, client: SyncPrefectClient, settings: Settings) -> None:
    """Do what a plan says, and remember its projects."""
    ensure_pool(client, settings)
    for each in differing(plan.changes):
        match each.what:
            case "created":
                create(client, plan.declared[each.name])
            case "changed":
                change(client, plan.declared[each.name], plan.stored[each.name])
            case "no longer declared":
                retire(client, plan.stored[each.name])
    remember(settings.home, plan.names)


def apply_remembered(settings: Settings) -> Plan:
    """Apply the projects of before again, as a start of the stack does; returns what was done.

    The deployments of a file that is gone stay as they are: it may be on a share that comes later.
    """
    with planning(settings, keeps_gone=True) as (plan, client):
        carry_out(plan, client, settings)
        return plan
