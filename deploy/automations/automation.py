"""One automation of ours, found by its name."""

from contextlib import suppress

from prefect.client.orchestration import PrefectClient
from prefect.events.schemas.automations import AutomationCore
from prefect.exceptions import ObjectNotFound


async def set_automation(client: PrefectClient, wanted: AutomationCore) -> None:
    """Create an automation, or make it what it is here; one that is off stays off.

    Of two that workers made at once, both keep the same one.
    """
    found = await client.read_automations_by_name(wanted.name)
    if not found:
        await client.create_automation(wanted)
        found = await client.read_automations_by_name(wanted.name)
    first, *others = sorted(found, key=lambda each: str(each.id))
    is_on = all(each.enabled for each in found)
    if is_other(first, wanted) or first.enabled != is_on:
        kept = wanted.model_copy(update={"enabled": is_on})
        await client.update_automation(first.id, kept)
    for each in others:
        with suppress(ObjectNotFound):  # another worker was faster
            await client.delete_automation(each.id)


def is_other(found: AutomationCore, wanted: AutomationCore) -> bool:
    """Say whether one waits for something else, or does something else.

    Not as JSON: a set has another order there in each process, and an update that changes nothing
    makes the server forget the silence that it was waiting for.
    """
    said = {"trigger", "actions", "description"}
    ids = {"trigger": {"id"}}
    return found.model_dump(include=said, exclude=ids) != wanted.model_dump(
        include=said, exclude=ids
    )
