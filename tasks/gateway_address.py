"""Where a model is put online: at the gateway that its project names, or at this home's."""

from pathlib import Path

from configs.deployment import ENDPOINT, DeploymentParams

LOOPBACK = ("127.0.0.1", "localhost", "::1")
REMEMBERED = Path("services", "endpoint")
"""In a home: the address and the engine of its gateway, told last."""


def find_endpoint(deployment: DeploymentParams, home: Path) -> str:
    """Return the address of the gateway: what was said of it, what the home remembers, or 8868."""
    return deployment.endpoint or read_remembered(home)[0] or ENDPOINT


def read_remembered(home: Path) -> tuple[str, str]:
    """Return the address and the engine of the gateway told last; empty: there is none."""
    path = home / REMEMBERED
    said = path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""
    endpoint, _, engine = said.partition(" ")
    return endpoint, engine
