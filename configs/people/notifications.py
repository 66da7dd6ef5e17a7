"""Whom to tell of what: the file notifications.yaml, and the parameters of the flow that tells."""

from typing import Literal

from pydantic import Field

from configs.base import Params

EventKind = Literal[
    "failure",
    "crash",
    "refusal",
    "hold",
    "approval-needed",
    "rejection",
    "promotion",
    "rollback",
    "drift",
    "new-data",
]


class TargetParams(Params):
    """Somebody who is told."""

    name: str = Field(
        "", max_length=60, description="How logs call it; empty: by its kind and place"
    )
    url: str = Field(
        pattern=r"^[A-Za-z0-9+-]{1,20}://",
        repr=False,
        description="Address as apprise knows it: mailtos://, json://, slack://, dingtalk://, "
        "wecombot://, feishu://, lark://; better !file PATH or !env NAME than the secret itself",
    )
    events: list[EventKind] = Field([], description="Of what it is told; empty: of everything")
    models: list[str] = Field([], description="Of which models; empty: of every one")


class NotificationFile(Params):
    """The file notifications.yaml."""

    targets: list[TargetParams] = Field([], description="Who is told")
    address: str = Field(
        "",
        pattern=r"^(https?://\S+)?$",
        description="Address of the Prefect UI as people reach it; empty: as this machine does",
    )


class NotifyParams(Params):
    """What the flow `notify` tells, for what happens where no process of ours is left."""

    kind: EventKind = Field("crash", description="What happened")
    model: str = Field("", description="Name of the model, or of the run; a message cuts it")
    why: str = Field("", description="What is known of it; a message cuts it")
    run: str = Field("", max_length=100, description="Id of the flow run that it happened to")
    event: str = Field("", max_length=100, description="Id of the event; told once")
