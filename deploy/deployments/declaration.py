"""What is said of one deployment, before any server is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal

from prefect import Flow

from deploy.deployments.form import require_said

TAG: Final = "ocrline"
"""Of every deployment of ours, and of none of others."""

Queue = Literal["cpu", "gpu", "short"]
"""Those of `deploy.pool`."""


@dataclass(frozen=True)
class Schedule:
    """When it starts by itself, on whose clock."""

    cron: str
    timezone: str = "UTC"


@dataclass(frozen=True)
class Declaration:
    """One deployment.

    Attributes:
        code: Module path of the flow; the installed package has it, nothing is pulled.
        name: Of the deployment; the flow's name stands before it.
        description: What it does, for people.
        parameters: The first values of its form.
        queue: What its runs need.
        project: Name of the model; empty: of none alone.
        schedule: When it starts by itself; None: never.
        events: Names of events about the model that start it.
        at_once: How many of its runs may run; 0: any number.
        when_busy: What becomes of one more.
    """

    code: str
    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    queue: Queue = "cpu"
    project: str = ""
    schedule: Schedule | None = None
    events: tuple[str, ...] = ()
    at_once: int = 0
    when_busy: Literal["ENQUEUE", "CANCEL_NEW"] = "ENQUEUE"

    @property
    def job_variables(self) -> Mapping[str, Mapping[str, str]]:
        """The environment of its runs, which says what Prefect's server does not see to."""
        return {"env": {"OCRLINE_WHEN_BUSY": self.when_busy}} if self.at_once else {}

    @property
    def flow_name(self) -> str:
        """As Prefect's server knows the flow."""
        return self.code.rpartition(".")[2].replace("_", "-")

    @property
    def full_name(self) -> str:
        """The flow's name and its own, as in retrain-pages/receipts."""
        return f"{self.flow_name}/{self.name}"

    @property
    def tags(self) -> tuple[str, ...]:
        """What it is found by in the UI."""
        return (TAG, self.project) if self.project else (TAG,)

    def load_flow(self) -> Flow[..., Any]:
        """Import the flow."""
        module, _, name = self.code.rpartition(".")
        flow: Flow[..., Any] = getattr(import_module(module), name)
        return flow

    def load_form(self) -> dict[str, Any]:
        """Return the OpenAPI schema of its parameters."""
        return require_said(self.load_flow().parameters.model_dump(), self.parameters)
