"""Whether a person took the candidate back since it was last promoted."""

from tasks.judging.nets import name_nets
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
    nets = name_nets(registry, model.name, model.version)
    moved = filter(None, set(champion.moves))
    same = {each for each in moved if name_nets(registry, model.name, each) == nets}
    return champion.was_rolled_back(model.version, alike=same)
