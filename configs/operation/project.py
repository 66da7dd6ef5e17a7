"""What a project's YAML file says under `operation`: when it runs, and what if it runs already.

No part of the flow's form: a run cannot change when the next one starts.
"""

from typing import Literal

from pydantic import Field

from configs.base import Params
from configs.operation.cron import Cron, TimeZone

WhenBusy = Literal["ENQUEUE", "CANCEL_NEW"]


class OperationParams(Params):
    """How a project is operated: `ocrline deployments apply` makes it so."""

    cron: Cron = Field(
        "",
        description="When it retrains: minute, hour, day of the month, month, day of the week, as "
        "in '0 3 * * mon'; empty: on no schedule",
    )
    timezone: TimeZone = Field("UTC", description="Whose clock that is, as Europe/Berlin")
    new_samples: int = Field(
        0,
        ge=0,
        description="It retrains when so many samples lie in the dataset's root that the champion "
        "was not trained on, new or labelled otherwise; 0: never for that",
    )
    look_every_min: Literal[1, 2, 5, 10, 15, 30, 60] = Field(
        15, description="Minutes between two looks for new samples"
    )
    when_busy: WhenBusy = Field(
        "ENQUEUE",
        description="What becomes of a run that starts while the model is retrained: ENQUEUE, it "
        "waits; CANCEL_NEW, it is cancelled",
    )
    require_smoke: bool = Field(
        True, description="Only what passed a smoke of the same code and data is trained in full"
    )
