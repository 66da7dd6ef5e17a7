"""Makes a deployment of Prefect's server what is declared; runs and their history stay."""

from typing import Any
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions
from prefect.client.schemas.schedules import CronSchedule

from deploy.deployments.automations import set_automation
from deploy.deployments.declaration import Declaration
from deploy.deployments.server import RETIRED, WAS_OFF, WAS_PAUSED, Stored
from deploy.runs import POOL

SLUG = "ocrline"


def create(client: SyncPrefectClient, declaration: Declaration) -> None:
    """Make a deployment; one that somebody made meanwhile becomes the same."""
    flow = client.create_flow_from_name(declaration.flow_name)
    created = client.create_deployment(
        flow_id=flow,
        name=declaration.name,
        schedules=_schedules(declaration),
        **_fields(declaration),
    )
    set_automation(client, declaration, created)


def change(client: SyncPrefectClient, declaration: Declaration, stored: Stored) -> None:
    """Make a deployment what is declared; what a person paused stays paused."""
    deployment = stored.deployment
    fields: dict[str, Any] = _fields(declaration)
    if stored.is_retired:
        fields["paused"] = stored.is_paused
        if not stored.is_off:
            _switch_automations(client, stored, on=True)
    client.update_deployment(deployment.id, DeploymentUpdate(**fields))
    _set_schedule(client, declaration, stored)
    set_automation(client, declaration, deployment.id)


def retire(client: SyncPrefectClient, stored: Stored) -> None:
    """Let nothing start a deployment that is no longer declared; its runs stay to be looked at.

    What a person had switched off is kept in tags, so that it is off when the deployment is back.
    """
    tags = [*stored.deployment.tags, RETIRED]
    tags += [WAS_PAUSED] * stored.is_paused + [WAS_OFF] * stored.is_off
    client.update_deployment(stored.deployment.id, DeploymentUpdate(tags=tags, paused=True))
    _switch_automations(client, stored, on=False)


def _fields(declaration: Declaration) -> dict[str, Any]:
    strategy = ConcurrencyLimitStrategy(declaration.when_busy)
    return {
        "description": declaration.description,
        "entrypoint": declaration.code,
        "path": None,
        "pull_steps": None,
        "work_pool_name": POOL,
        "work_queue_name": declaration.queue,
        "tags": list(declaration.tags),
        "parameters": dict(declaration.parameters),
        "parameter_openapi_schema": declaration.load_form(),
        "enforce_parameter_schema": True,
        "job_variables": dict(declaration.job_variables),
        "concurrency_limit": declaration.at_once or None,
        "concurrency_options": ConcurrencyOptions(collision_strategy=strategy)
        if declaration.at_once
        else None,
    }


def _schedules(declaration: Declaration) -> list[DeploymentScheduleCreate]:
    said = declaration.schedule
    if said is None:
        return []
    schedule = CronSchedule(cron=said.cron, timezone=said.timezone)
    return [DeploymentScheduleCreate(schedule=schedule, slug=SLUG)]


def _set_schedule(client: SyncPrefectClient, declaration: Declaration, stored: Stored) -> None:
    """Leave a deployment one schedule, or none; the one that was there keeps its switch."""
    there: list[UUID] = [schedule.id for schedule in stored.deployment.schedules]
    wanted = _schedules(declaration)
    if not there and wanted:
        client.create_deployment_schedules(stored.deployment.id, wanted)
    elif wanted:
        new = wanted[0].schedule
        client.update_deployment_schedule(stored.deployment.id, there[0], schedule=new)
    for extra in there[1:] if wanted else there:
        client.delete_deployment_schedule(stored.deployment.id, extra)


def _switch_automations(client: SyncPrefectClient, stored: Stored, *, on: bool) -> None:
    for each in stored.automations:
        (client.resume_automation if on else client.pause_automation)(each.id)
