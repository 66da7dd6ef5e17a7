"""What starts a deployment by an event about its model: one automation each, found by its name."""

from collections.abc import Sequence
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.events.actions import RunDeployment
from prefect.events.schemas.automations import Automation, AutomationCore, EventTrigger, Posture
from prefect.events.schemas.events import Resource, ResourceSpecification
from prefect.exceptions import ObjectNotFound

from deploy.deployments.declaration import Declaration

RESOURCE = "ocrline.model"


def name_automation(full_name: str) -> str:
    """Name what starts a deployment."""
    return f"start {full_name}"


def find_automations(client: SyncPrefectClient) -> dict[str, list[Automation]]:
    """Return the automations by their names; names of ours have one each, but for an instant."""
    found: dict[str, list[Automation]] = {}
    for each in client.read_automations():
        found.setdefault(each.name, []).append(each)
    return found


def events_of(automations: Sequence[AutomationCore]) -> tuple[str, ...]:
    """Return what starts the deployment of these automations."""
    names = {
        name
        for each in automations
        if isinstance(each.trigger, EventTrigger)
        for name in each.trigger.expect
    }
    return tuple(sorted(names))


def are_set_off_by(automations: Sequence[AutomationCore], event: str, model: str) -> bool:
    """Say whether an event about a model sets off one of these automations while it is on."""
    about = Resource({"prefect.resource.id": f"{RESOURCE}.{model}"})
    return any(
        isinstance(each.trigger, EventTrigger)
        and event in each.trigger.expect
        and ResourceSpecification.model_validate(each.trigger.match).includes([about])
        for each in automations
    )


def set_automation(client: SyncPrefectClient, declaration: Declaration, deployment: UUID) -> None:
    """Make the events of a declaration, and no others, start a deployment.

    One that a person switched off stays off. Of two that appliers of two machines made at once,
    both keep the same one.
    """
    name = name_automation(declaration.full_name)
    found = client.read_automations_by_name(name)
    if not declaration.events:
        _remove(client, found)
        return
    wanted = describe_automation(
        declaration, deployment, enabled=all(each.enabled for each in found)
    )
    if not found:
        client.create_automation(wanted)
        found = client.read_automations_by_name(name)
    else:
        client.update_automation(min(each.id for each in found), wanted)
    kept = min(each.id for each in found)
    _remove(client, [each for each in found if each.id != kept])


def describe_automation(
    declaration: Declaration, deployment: UUID, *, enabled: bool = True
) -> AutomationCore:
    """Describe what starts a deployment by its events."""
    return AutomationCore(
        name=name_automation(declaration.full_name),
        description=f"Starts {declaration.full_name} when one of these events is raised.",
        enabled=enabled,
        trigger=EventTrigger(
            match={"prefect.resource.id": f"{RESOURCE}.{declaration.project}"},
            expect=set(declaration.events),
            posture=Posture.Reactive,
            threshold=1,
        ),
        actions=[RunDeployment(source="selected", deployment_id=deployment)],
    )


def _remove(client: SyncPrefectClient, automations: list[Automation]) -> None:
    for each in automations:
        try:
            client.delete_automation(each.id)
        except ObjectNotFound:  # another apply was faster
            continue
