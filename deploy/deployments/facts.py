"""A deployment, declared or found on the server, as names and values that can be compared."""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from prefect.client.schemas.objects import DeploymentSchedule
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule
from prefect.events.schemas.automations import AutomationCore

from deploy.deployments.automations import describe_automation, events_of
from deploy.deployments.declaration import Declaration
from deploy.runs import POOL

Facts = Mapping[str, str]
NONE = "none"
ITSELF = UUID(int=0)
"""Stands for the id of the deployment, which a declaration does not know."""


def facts_of_declared(declaration: Declaration) -> Facts:
    """Return what is said of a deployment that there is to be."""
    schedule = declaration.schedule
    automations = [describe_automation(declaration, ITSELF)] if declaration.events else []
    return {
        "description": declaration.description,
        "code": declaration.code,
        "path": NONE,
        "pull steps": NONE,
        "queue": f"{POOL}/{declaration.queue}",
        "tags": _join(declaration.tags),
        "at once": str(declaration.at_once or "any number"),
        "when busy": declaration.when_busy if declaration.at_once else NONE,
        **dict(_flat(declaration.job_variables, "job variables.")),
        "schedule": f"{schedule.cron}, {schedule.timezone}" if schedule else NONE,
        **dict(_say_automations(automations)),
        "form": _digest(declaration.load_form()),
        "form is enforced": "yes",
        **dict(_flat(declaration.parameters, "")),
    }


def facts_of_found(deployment: DeploymentResponse, automations: Sequence[AutomationCore]) -> Facts:
    """Return the same of a deployment that there is, and of what starts it by events."""
    limit, options = deployment.global_concurrency_limit, deployment.concurrency_options
    return {
        "description": deployment.description or "",
        "code": deployment.entrypoint or NONE,
        "path": deployment.path or NONE,
        "pull steps": json.dumps(deployment.pull_steps) if deployment.pull_steps else NONE,
        "queue": f"{deployment.work_pool_name}/{deployment.work_queue_name}",
        "tags": _join(deployment.tags),
        "at once": str(limit.limit if limit else "any number"),
        "when busy": options.collision_strategy.value if options and limit else NONE,
        **dict(_flat(deployment.job_variables, "job variables.")),
        "schedule": "; ".join(map(_say_schedule, deployment.schedules)) or NONE,
        **dict(_say_automations(automations, deployment.id)),
        "form": _digest(deployment.parameter_openapi_schema),
        "form is enforced": "yes" if deployment.enforce_parameter_schema else "no",
        **dict(_flat(deployment.parameters, "")),
    }


def _say_schedule(found: DeploymentSchedule) -> str:
    schedule = found.schedule
    if isinstance(schedule, CronSchedule):
        return f"{schedule.cron}, {schedule.timezone}"
    return str(schedule)


def _say_automations(
    automations: Sequence[AutomationCore], deployment: UUID = ITSELF
) -> Iterator[tuple[str, str]]:
    yield "started by", _join(events_of(automations))
    for each in automations:
        said = each.model_dump_json(
            include={"trigger", "actions"}, exclude={"trigger": {"id", "expect"}}
        )
        itself = said.replace(str(deployment), str(ITSELF))
        yield from _flat(json.loads(itself), "started by.")


def _flat(values: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", json.dumps(value, ensure_ascii=False, sort_keys=True)


def _join(names: Any) -> str:
    return ", ".join(sorted(names)) or NONE


def _digest(schema: Any) -> str:
    return sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:12]
