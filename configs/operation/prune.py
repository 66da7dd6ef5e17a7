"""The form of a removal of what nobody needs any more."""

from pydantic import Field

from configs.base import Params


class PruneParams(Params):
    """What may go; by default it is only shown."""

    older_than_days: int = Field(
        30, ge=7, description="Days since it was written or in use; a run may last that"
    )
    versions: bool = Field(False, description="Also versions that were never champion")
    dry_run: bool = Field(True, description="Show what may go, and remove nothing")
