"""Automations that start the flow `notify` where no process of ours is left to tell."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from prefect.client.orchestration import PrefectClient
from prefect.events.actions import RunDeployment
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture

from deploy.automations.automation import set_automation

DEPLOYMENT: Final = "notify/ocrline"
FLOWS: Final = [
    *("retrain-lines", "retrain-pages", "watch-lines", "watch-pages"),
    *("promote", "rollback", "recognise-batch", "evaluate", "prune"),
]
"""Whose crashes are told; not those of `notify` itself."""


def describe_automations(deployment: UUID) -> list[AutomationCore]:
    """Describe what starts the deployment of `notify`.

    Args:
        deployment: Its id.
    """
    crash = EventTrigger(
        expect={"prefect.flow-run.Crashed"},
        match={"prefect.resource.id": "prefect.flow-run.*"},
        match_related={"prefect.resource.role": "flow", "prefect.resource.name": FLOWS},
        posture=Posture.Reactive,
        threshold=1,
        within=timedelta(0),
    )
    found = EventTrigger(
        expect={"ocrline.drift", "ocrline.new-data"},
        match={"prefect.resource.id": "ocrline.model.*"},
        posture=Posture.Reactive,
        threshold=1,
        within=timedelta(0),
    )
    of_run = {
        "kind": "crash",
        "model": _jinja("{{ flow_run.parameters.params.name or flow_run.name }}"),
        "why": _jinja("{{ flow.name }}: {{ flow_run.state.message }}"),
        "run": _jinja("{{ flow_run.id }}"),
    }
    of_model = {
        "kind": _jinja("{{ event.event | replace('ocrline.', '') }}"),
        "model": _jinja("{{ event.resource.name }}"),
        "why": _jinja(
            "{% for key, value in event.payload.items() %}{{ key }}: {{ value }}; {% endfor %}"
        ),
        "event": _jinja("{{ event.id }}"),
    }
    return [
        AutomationCore(
            name=name,
            description=description,
            trigger=trigger,
            actions=[
                RunDeployment(
                    source="selected", deployment_id=deployment, parameters={"params": params}
                )
            ],
        )
        for name, description, trigger, params in (
            ("ocrline: tell of crashes", "Runs that ended without a word", crash, of_run),
            ("ocrline: tell of drift and new data", "Events of a model", found, of_model),
        )
    ]


async def ensure_told(client: PrefectClient) -> None:
    """Make the automations, or bring those of the same names up to date; one that is off stays off.

    Raises:
        ObjectNotFound: The flow `notify` has no deployment.
    """
    deployment = await client.read_deployment_by_name(DEPLOYMENT)
    for automation in describe_automations(deployment.id):
        await set_automation(client, automation)


def _jinja(template: str) -> dict[str, Any]:
    return {"__prefect_kind": "jinja", "template": template}
