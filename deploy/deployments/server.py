"""Reads the deployments of ours that Prefect's server has."""

from collections.abc import Iterator
from dataclasses import dataclass

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterTags
from prefect.client.schemas.responses import DeploymentResponse
from prefect.events.schemas.automations import Automation

from deploy.deployments.automations import are_set_off_by, find_automations, name_automation
from deploy.deployments.declaration import TAG
from deploy.deployments.difference import Found
from deploy.deployments.facts import facts_of_found

RETIRED = f"{TAG}:retired"
"""Tag of a deployment that an apply found no longer declared, and paused; no project's name."""
WAS_PAUSED, WAS_OFF = f"{TAG}:was-paused", f"{TAG}:was-off"
"""Tags of a retired one that a person had paused, or whose start by events was switched off."""
PAGE = 200


@dataclass(frozen=True)
class Stored:
    """A deployment of the server, and the automations that start it."""

    deployment: DeploymentResponse
    automations: list[Automation]

    @property
    def is_retired(self) -> bool:
        """Whether an apply paused it."""
        return RETIRED in self.deployment.tags

    @property
    def is_paused(self) -> bool:
        """Whether a person paused it, if need be before it was retired."""
        tags = self.deployment.tags
        return WAS_PAUSED in tags if self.is_retired else self.deployment.paused

    @property
    def is_off(self) -> bool:
        """Whether a person switched off what starts it by events, the same."""
        tags = self.deployment.tags
        return WAS_OFF in tags if self.is_retired else not all(e.enabled for e in self.automations)

    def describe(self) -> Found:
        """Return what can be compared, and what a person did to it."""
        facts = facts_of_found(self.deployment, self.automations)
        return Found(facts, tuple(self._notes()), self.is_retired)

    def _notes(self) -> Iterator[str]:
        if self.is_retired:
            yield "retired, as nothing that was applied declared it any more"
        if self.is_paused and any(each.enabled for each in self.automations):
            yield (
                "paused by a person: its schedule rests, and events start it until its automation "
                f"{self.automations[0].name!r} is switched off, too"
            )
        elif self.is_paused:
            yield "paused by a person, and stays paused"
        if not all(schedule.active for schedule in self.deployment.schedules):
            yield "its schedule was paused by a person, and stays paused"
        if self.is_off:
            yield "what starts it by events was switched off by a person, and stays off"


def read_stored(client: SyncPrefectClient) -> dict[str, Stored]:
    """Return the deployments with our tag by their full names."""
    automations = find_automations(client)
    flows: dict[str, str] = {}
    stored: dict[str, Stored] = {}
    for deployment in _read_pages(client):
        key = str(deployment.flow_id)
        if key not in flows:
            flows[key] = client.read_flow(deployment.flow_id).name
        name = f"{flows[key]}/{deployment.name}"
        stored[name] = Stored(deployment, automations.get(name_automation(name), []))
    return stored


def find_started_by(client: SyncPrefectClient, event: str, model: str) -> dict[str, Stored]:
    """Return by full name the deployments that an event about a model starts.

    Those are among them whose start by events a person switched off.
    """
    return {
        name: stored
        for name, stored in read_stored(client).items()
        if not stored.is_retired and are_set_off_by(stored.automations, event, model)
    }


def _read_pages(client: SyncPrefectClient) -> Iterator[DeploymentResponse]:
    ours = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG]))
    offset = 0
    while True:
        page = client.read_deployments(deployment_filter=ours, limit=PAGE, offset=offset)
        yield from page
        offset += PAGE
        if len(page) < PAGE:
            return
