"""Where a model is put online: at the gateway that its project names, or at this home's."""

from pathlib import Path
from urllib.parse import urlsplit

from configs.deployment import ENDPOINT, DeploymentParams
from configs.settings import Settings
from ocr.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
REMEMBERED = Path("services", "endpoint")
"""In a home: the address and the engine of its gateway, told last."""


def find_endpoint(deployment: DeploymentParams, home: Path) -> str:
    """Return the address of the gateway: what was said of it, or what the home remembers, or 8868.

    A gateway that is remembered with another engine is another project's.
    """
    remembered, engine = read_remembered(home)
    fits = engine == engine_of(deployment)
    return deployment.endpoint or (remembered if fits else "") or ENDPOINT


def engine_of(deployment: DeploymentParams) -> str:
    """Return what a gateway reads with for a deployment; empty: what its settings say."""
    return deployment.target if deployment.target == "paddle-serving" else ""


def token_for(endpoint: str, settings: Settings) -> str:
    """Return what to ask a gateway with: the token is of this machine, an endpoint of a project.

    Raises:
        BadInput: Nobody said that the gateway, which is elsewhere, may have the token.
    """
    if not may_have_token(endpoint, settings):
        raise BadInput(
            f"The gateway {endpoint} is on no loopback address, and gets OCRLINE_TOKEN only if you "
            "say so: set OCRLINE_TOKEN_FOR to it where runs are started, or name another "
            "deployment.endpoint"
        )
    return settings.token


def may_have_token(endpoint: str, settings: Settings) -> bool:
    """Say whether a gateway may be sent the token, or there is none."""
    is_here = urlsplit(endpoint).hostname in LOOPBACK
    told = [each.strip().rstrip("/") for each in settings.token_for.split(",")]
    return is_here or not settings.token or endpoint in told


def read_remembered(home: Path) -> tuple[str, str]:
    """Return the address and the engine of the gateway told last; empty: there is none."""
    path = home / REMEMBERED
    said = path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""
    endpoint, _, engine = said.partition(" ")
    return endpoint, engine
