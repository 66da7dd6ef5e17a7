"""Apply what is declared: find out what differs, make it so, remember the projects."""

from collections.abc import Sequence
from dataclasses import dataclass

from filelock import FileLock
from prefect.client.orchestration import SyncPrefectClient, get_client

from configs.presets import ConfigError
from configs.settings import Settings
from deploy.deployments.declaration import Declaration
from deploy.deployments.difference import Change, compare, differing
from deploy.deployments.facts import facts_of_declared
from deploy.deployments.memory import Names, read_remembered, remember
from deploy.deployments.remembered import declare_all, find_gone, name_sources
from deploy.deployments.server import Stored, read_stored
from deploy.deployments.writing import change, create, retire
from deploy.pool import ensure_pool
from ocr.errors import BadInput

LOCK = "deployments.lock"
TIMEOUT_S = 90


@dataclass(frozen=True)
class Plan:
    """What an apply would do.

    Attributes:
        names: What is to be remembered.
        gone: Files of projects that were applied before, and are gone or out of reach.
        refused: Why each project is that was applied before and cannot be.
        declared: All deployments that there are to be, by full name.
        stored: All that there are, by full name.
        changes: What becomes of each.
    """

    names: Names
    gone: Sequence[str]
    refused: Sequence[str]
    declared: dict[str, Declaration]
    stored: dict[str, Stored]
    changes: list[Change]

    @property
    def differs(self) -> bool:
        """Whether there is anything to do."""
        return bool(differing(self.changes))


def make_plan(
    client: SyncPrefectClient,
    settings: Settings,
    given: Sequence[str] = (),
    *,
    keeps_unfit: bool = False,
) -> Plan:
    """Find out what differs.

    Args:
        client: Of Prefect's server.
        settings: Of this machine.
        given: Presets and YAML files beside those that were applied before.
        keeps_unfit: Whether the deployments of a file that is gone, or refused, stay as they are,
            as nobody is there to say that it is gone for good, or to mend it.

    Raises:
        ConfigError: A project is refused.
    """
    before = read_remembered(settings.home)
    gone = find_gone(before)
    groups, refused = declare_all(name_sources(before, given))
    if refused and not keeps_unfit:
        raise ConfigError(next(iter(refused.values())))
    kept = {source: before[source] for source in (*gone, *refused) if keeps_unfit}
    names = {source: [each.full_name for each in group] for source, group in groups.items()}
    all_names = kept | names
    # In their order: of two with one name the earlier one has it, each time.
    ordered = {each: all_names[each] for each in (*before, *names) if each in all_names}
    declared = {each.full_name: each for group in groups.values() for each in group}
    stored = read_stored(client)
    changes = compare(
        {name: facts_of_declared(each) for name, each in declared.items()},
        {name: each.describe() for name, each in stored.items()},
        {name for source in before.keys() - kept.keys() for name in before[source]},
    )
    return Plan(ordered, gone, list(refused.values()), declared, stored, changes)


def apply_all(
    client: SyncPrefectClient,
    settings: Settings,
    given: Sequence[str] = (),
    *,
    shown: Plan | None = None,
    keeps_unfit: bool = False,
) -> Plan:
    """Do what differs, one apply of this machine at a time, and remember it; returns what was done.

    Args:
        client: Of Prefect's server.
        settings: Of this machine.
        given: As for a plan.
        shown: What a person agreed to; None: nobody was asked.
        keeps_unfit: As for a plan.

    Raises:
        ConfigError: A project is refused.
        BadInput: It is not what the person agreed to any more.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(settings.home / LOCK, timeout=TIMEOUT_S):
        plan = make_plan(client, settings, given, keeps_unfit=keeps_unfit)
        if shown is not None and plan.changes != shown.changes:
            raise BadInput("by now there is something else to do than was shown: apply again")
        ensure_pool(client, settings)
        for each in differing(plan.changes):
            match each.what:
                case "created":
                    create(client, plan.declared[each.name])
                case "changed":
                    change(client, plan.declared[each.name], plan.stored[each.name])
                case "no longer declared":
                    retire(client, plan.stored[each.name])
        remember(settings.home, plan.names, plan.refused)
        return plan


def apply_remembered(settings: Settings) -> Plan:
    """Apply the projects of before again, as a start of the stack does; returns what was done.

    The deployments of a file that is gone stay as they are: it may be on a share that comes later.
    So do those of one that is refused, which keeps no other project from being applied.
    """
    with get_client(sync_client=True) as client:
        return apply_all(client, settings, keeps_unfit=True)
