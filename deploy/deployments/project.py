"""The deployments of a project: its retraining and its smoke, and a look for new data if asked."""

from collections.abc import Iterator
from typing import Any

from configs.operation.project import OperationParams
from configs.presets import ConfigError, Project, ProjectParams
from configs.retrain import RetrainPagesParams
from deploy.deployments.declaration import Declaration, Schedule
from tasks.starting.events import DRIFT, NEW_DATA


def declare_project(project: Project) -> Iterator[Declaration]:
    """Yield the deployments of a project.

    Raises:
        ConfigError: A path of it means another folder in another process.
    """
    params, operation = project.params, project.operation
    _refuse_relative_paths(params)
    kind = "pages" if isinstance(params, RetrainPagesParams) else "lines"
    code, name = f"flows.retrain_{kind}.retrain_{kind}", params.name
    said = _said(params, operation)
    queue = params.resources.device
    yield Declaration(
        code,
        name,
        f"Retrain {name} and put it online if it earned it.",
        {"params": said},
        queue=queue,
        project=name,
        schedule=Schedule(operation.cron, operation.timezone) if operation.cron else None,
        events=(DRIFT, NEW_DATA) if operation.new_samples else (DRIFT,),
        at_once=1,
        when_busy=operation.when_busy,
    )
    yield Declaration(
        code,
        f"{name}-smoke",
        f"Try whether {name} can be trained and exported: 3 epochs of at most 1,000 samples.",
        {"params": said, "until": "smoke"},
        queue=queue,
        project=name,
        at_once=1,
        when_busy=operation.when_busy,
    )
    if operation.new_samples:
        yield _declare_watch(params, operation, kind)


def _declare_watch(params: ProjectParams, operation: OperationParams, kind: str) -> Declaration:
    if params.dataset.source == "synthetic":
        raise ConfigError(
            f"{params.name}: operation.new_samples: {operation.new_samples} needs labelled data; "
            "dataset.source: synthetic is rendered and never new"
        )
    every = operation.look_every_min
    said = {"name": params.name, "new_samples": operation.new_samples}
    return Declaration(
        f"flows.watch_{kind}.watch_{kind}",
        params.name,
        f"Look for new labelled data of {params.name}; enough of it starts a retraining.",
        {"params": {**said, "dataset": params.dataset.model_dump(mode="json")}},
        queue="short",
        project=params.name,
        schedule=Schedule("0 * * * *" if every == 60 else f"*/{every} * * * *"),
        at_once=1,
        when_busy="CANCEL_NEW",
    )


def _said(params: ProjectParams, operation: OperationParams) -> dict[str, Any]:
    """Return the first values of the form."""
    smoke = params.smoke.model_copy(update={"must_pass": operation.require_smoke})
    return params.model_copy(update={"smoke": smoke}).model_dump(mode="json")


def _refuse_relative_paths(params: ProjectParams) -> None:
    told = params.evaluation.baseline_readings
    if params.evaluation.baseline == "readings" and not told.startswith("/"):
        raise ConfigError(
            f"{params.name}: evaluation.baseline_readings: {told!r} is another file in another "
            "process; write it in the project's YAML file from / on"
        )
    sets = [("dataset.root", params.dataset.source, params.dataset.root)]
    sets += [
        (f"evaluation.further[{each.name}].root", each.source, each.root)
        for each in params.evaluation.further
    ]
    for key, source, root in sets:
        if source != "synthetic" and not root.startswith(("/", "s3://")):
            raise ConfigError(
                f"{params.name}: {key}: {root!r} is another folder in another process; write it "
                "in the project's YAML file from / on, or as s3://bucket/folder"
            )
