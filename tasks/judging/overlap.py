"""Whether the opponent of a candidate was trained on the very test that they are measured on."""

from collections.abc import Iterator, Mapping

from ocr.errors import ArtifactNotFound, BadData
from ocr.gate.overlap import Overlap
from ocr.models.registry import ModelVersion
from tasks.workspace import Workspace


def find_overlap(workspace: Workspace, opponent: str, tested: Mapping[str, str]) -> Overlap | None:
    """Look for the test's samples in the train splits that made an opponent.

    Args:
        workspace: Where its snapshots are.
        opponent: NAME:VERSION; a baseline has no training that we know of.
        tested: Names of the test's samples by their ids.

    Returns:
        What was found, or why it cannot be told; None for a baseline.
    """
    if ":" not in opponent:
        return None
    seen, unknown = set[str](), ""
    try:
        for part, is_cut in _parts(workspace, opponent):
            seen.update(id_ for id_ in _trained_on(workspace, part, is_cut) if id_ in tested)
    except (ArtifactNotFound, BadData) as error:
        unknown = str(error)
    return Overlap(samples=tuple(sorted(tested[id_] for id_ in seen)), unknown=unknown)


def _parts(workspace: Workspace, opponent: str) -> Iterator[tuple[ModelVersion, bool]]:
    """Yield the nets behind a version, and whether their lines are cut out of pages."""
    model = workspace.registry.resolve(opponent)
    if not model.parts:
        yield model, False
    for reference in model.parts:
        part = workspace.registry.resolve(reference)
        yield part, part.task == "recognition"


def _trained_on(workspace: Workspace, model: ModelVersion, is_cut: bool) -> Iterator[str]:
    """Yield the ids of the train split of a net; of lines cut out of pages, those of the pages."""
    digest = str(model.manifest["dataset_digest"])
    key = workspace.find_snapshot(digest)
    if not key:
        message = f"the snapshot {digest[:12]} that {model.reference} was trained on is gone"
        raise ArtifactNotFound(message)
    if model.task == "detection":
        return workspace.open_pages(key).values("id", "train")
    return workspace.open_lines(key).values("group" if is_cut else "id", "train")
