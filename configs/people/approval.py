"""Whether a person is asked before a candidate replaces the champion."""

from pydantic import Field

from configs.base import Params


class ApprovalParams(Params):
    """A pause between the gate and the deployment; without an answer the champion stays."""

    needed: bool = Field(
        False, description="Ask a person before an accepted candidate is put online"
    )
    timeout_h: float = Field(
        72.0,
        gt=0,
        le=2160,
        description="Hours to wait for an answer; then the champion stays and the run ends",
    )
