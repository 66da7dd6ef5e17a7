"""Of which trained nets a version is; exported anew they are another version."""

from ocr.errors import ArtifactNotFound, BadData
from ocr.models.registry import Registry


def name_nets(registry: Registry, name: str, version: str) -> tuple[str, ...]:
    """Name the checkpoints that a version was exported from; what is not there, by itself."""
    try:
        model = registry.version(name, version)
        parts = [registry.resolve(each) for each in model.parts.values()] or [model]
    except (ArtifactNotFound, BadData):
        return (version,)
    return tuple(str(each.manifest.get("checkpoint") or each.reference) for each in parts)
