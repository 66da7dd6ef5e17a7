"""The form of a rollback."""

from pydantic import Field

from configs.base import NAME_PATTERN, Params
from configs.deployment import DeploymentParams


class RollbackParams(Params):
    """A model whose champion before this one is to answer again."""

    name: str = Field(pattern=NAME_PATTERN, description="Name of the model")
    reason: str = Field(
        "by hand",
        min_length=1,
        max_length=10_000,
        description="Why; kept in the model's history",
    )
    deployment: DeploymentParams = Field(
        default=DeploymentParams(), description="Where it is to answer, and be proven"
    )
