"""Where an accepted candidate goes."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from configs.base import Params

Target = Literal["gateway", "paddle-serving", "none"]
ENDPOINT = "http://127.0.0.1:8868"
"""Of a home that was told of no other."""
ADDRESS = (
    r"^(|https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])"
    r"(:\d{1,4}|:[1-5]\d{4}|:6[0-4]\d{3})?)$"
)


def _check_address(given: object) -> object:
    """Say what is expected, where the pattern, which the form has, would say itself."""
    if isinstance(given, str) and not re.fullmatch(ADDRESS, given):
        raise ValueError(
            "expected http://HOST:PORT or https://HOST:PORT without user, password and path; "
            "OCRLINE_TOKEN holds what a gateway asks for"
        )
    return given


class DeploymentParams(Params):
    """How the accepted candidate is put online."""

    target: Target = Field(
        "gateway",
        description="gateway: promote and wait until the gateway answers with it; paddle-serving: "
        "the same, of a gateway whose nets run in Paddle Serving; none: promote only",
    )
    endpoint: Annotated[str, BeforeValidator(_check_address)] = Field(
        "",
        pattern=ADDRESS,
        description="Address of the gateway; one on loopback is started if it is not there; "
        "empty: the one of this home, as `ocrline up` or a run of the terminal was told last",
    )
    timeout_s: float = Field(60, gt=0, description="Most seconds until the new version answers")
