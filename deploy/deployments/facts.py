"""A deployment, declared or found on the server, as names and values that can be compared."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from prefect.client.schemas.objects import DeploymentSchedule
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule

from deploy.deployments.declaration import Declaration
from deploy.runs import POOL

Facts = Mapping[str, str]
NONE = "none"


def facts_of_declared(declaration: Declaration) -> Facts:
    """Return what is said of a deployment that there is to be."""
    schedule = declaration.schedule
    return {
        "description": declaration.description,
        "code": declaration.code,
        "queue": f"{POOL}/{declaration.queue}",
        "tags": _join(declaration.tags),
        "at once": str(declaration.at_once or "any number"),
        "when busy": declaration.when_busy if declaration.at_once else NONE,
        **dict(_flat(declaration.environment, "environment.")),
        "schedule": f"{schedule.cron}, {schedule.timezone}" if schedule else NONE,
        "started by": _join(declaration.events),
        "form": _digest(declaration.load_flow().parameters.model_dump()),
        **dict(_flat(declaration.parameters, "")),
    }


def facts_of_found(deployment: DeploymentResponse, *, events: tuple[str, ...]) -> Facts:
    """Return the same of a deployment that there is, which some events start."""
    limit, options = deployment.global_concurrency_limit, deployment.concurrency_options
    return {
        "description": deployment.description or "",
        "code": deployment.entrypoint or NONE,
        "queue": f"{deployment.work_pool_name}/{deployment.work_queue_name}",
        "tags": _join(deployment.tags),
        "at once": str(limit.limit if limit else "any number"),
        "when busy": options.collision_strategy.value if options and limit else NONE,
        **dict(_flat(deployment.job_variables.get("env", {}), "environment.")),
        "schedule": "; ".join(map(_say_schedule, deployment.schedules)) or NONE,
        "started by": _join(events),
        "form": _digest(deployment.parameter_openapi_schema),
        **dict(_flat(deployment.parameters, "")),
    }


def _say_schedule(found: DeploymentSchedule) -> str:
    schedule = found.schedule
    if isinstance(schedule, CronSchedule):
        return f"{schedule.cron}, {schedule.timezone}"
    return str(schedule)


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
