"""Whether a short training must pass before a full one."""

from pydantic import Field

from configs.base import Params


class SmokeParams(Params):
    """The short training before the full one: 3 epochs of at most 1,000 samples, exported."""

    must_pass: bool = Field(
        False,
        description="Train in full only after a smoke of the same code, data and net has passed: "
        "3 epochs, batch 16, at most 1,000 samples; one that passed before counts",
    )
