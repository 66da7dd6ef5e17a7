"""Whom a candidate meets."""

from importlib.metadata import version

from ocr.alias import AliasState
from tasks.references import ModelRef
from tasks.workspace import Workspace


def choose_opponent(
    workspace: Workspace,
    model: ModelRef,
    *,
    champion: AliasState | None,
    baseline: str,
    baseline_bundle: str,
) -> str:
    """Name the champion; for the champion itself, what it was promoted over; else the baseline."""
    other = champion.version if champion else None
    if champion and other == model.version:
        moves = [m for m in champion.history if m.version == other and m.action == "promote"]
        other = moves[-1].previous if moves else None
    if other:
        return f"{model.name}:{other}"
    if baseline == "bundle":
        return workspace.registry.resolve(baseline_bundle).reference
    return baseline


def release_of(opponent: str) -> str:
    """Return the release of a baseline that is a Python package; empty for all others."""
    return version(opponent) if opponent in ("rapidocr", "paddleocr") else ""
