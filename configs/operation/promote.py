"""The form of a promotion by hand."""

from pydantic import Field

from configs.base import NAME_PATTERN, Params
from configs.deployment import DeploymentParams


class PromoteParams(Params):
    """A version that is to be the champion."""

    name: str = Field(pattern=NAME_PATTERN, description="Name of the model")
    version: str = Field(
        min_length=1, description="Version to put online, or a clear start of it: 3f2a9c"
    )
    reason: str = Field(
        "by hand",
        min_length=1,
        max_length=10_000,
        description="Why; kept in the model's history",
    )
    deployment: DeploymentParams = Field(
        default=DeploymentParams(), description="Where it is to answer, and be proven"
    )
