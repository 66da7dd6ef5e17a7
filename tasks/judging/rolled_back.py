"""Whether a person took the candidate back since it was last promoted."""

from ocr.errors import ArtifactNotFound, BadData
from ocr.models.registry import Registry
from tasks.references import ModelRef
from tasks.workspace import Workspace


def was_rolled_back(workspace: Workspace, model: ModelRef) -> bool:
    """Say whether it, or another version of the same nets, was taken back and not promoted since.

    The nets are exported anew, as another version, when code or a library of the export changed.
    """
    registry = workspace.registry
    champion = registry.champion(model.name)
    if champion is None:
        return False
    nets = _name_nets(registry, model.name, model.version)
    moved = filter(None, set(champion.moves))
    same = {each for each in moved if _name_nets(registry, model.name, each) == nets}
    return champion.was_rolled_back(model.version, alike=same)


def _name_nets(registry: Registry, name: str, version: str) -> tuple[str, ...]:
    """Name the checkpoints that a version was exported from; what is not there, by itself."""
    try:
        model = registry.version(name, version)
        parts = [registry.resolve(each) for each in model.parts.values()] or [model]
    except (ArtifactNotFound, BadData):
        return (version,)
    return tuple(str(each.manifest.get("checkpoint") or each.reference) for each in parts)
