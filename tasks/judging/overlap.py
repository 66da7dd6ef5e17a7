"""Whether a version was trained on the very images that it is measured on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ocr.dataset.snapshot.snapshot import Sample
from ocr.errors import ArtifactNotFound, BadData
from ocr.gate.overlap import Overlap
from ocr.models.registry import ModelVersion
from tasks.workspace import Workspace


def find_overlap(
    workspace: Workspace, version: str, tested: Iterable[Sample], *, are_pages: bool = False
) -> Overlap | None:
    """Look for the samples of a test in the train splits that made a version.

    Lines that were cut out of pages know the document of their page, or of none the page: a page of
    the test counts when any page of its document was among them.

    Args:
        workspace: Where its snapshots are.
        version: NAME:VERSION; a baseline has no training that we know of.
        tested: The test's samples.
        are_pages: They are pages, so that the lines of a lone recogniser were cut out of such.

    Returns:
        What was found, or why it cannot be told; None for a baseline.
    """
    if ":" not in version:
        return None
    names: dict[str, str] = {}
    known_by: dict[str, set[str]] = defaultdict(set)
    for sample in tested:
        names[sample.id] = sample.image or sample.id[:12]
        for key in filter(None, (sample.id, sample.group)):
            known_by[key].add(sample.id)
    seen, unknown = set[str](), ""
    try:
        for part, is_cut in _parts(workspace, version, are_pages):
            for key in _trained_on(workspace, part, is_cut):
                if not key:
                    unknown = f"{part.reference} learnt lines that name no document"
                seen |= known_by.get(key, set())
    except (ArtifactNotFound, BadData) as error:
        unknown = str(error)
    return Overlap(samples=tuple(sorted(names[id_] for id_ in seen)), unknown=unknown)


def _parts(
    workspace: Workspace, reference: str, are_pages: bool
) -> Iterator[tuple[ModelVersion, bool]]:
    """Yield the nets behind a version, and whether their lines are cut out of pages."""
    model = workspace.registry.resolve(reference)
    if not model.parts:
        yield model, are_pages
    for name in model.parts:
        part = workspace.registry.resolve(name)
        yield part, part.task == "recognition"


def _trained_on(workspace: Workspace, model: ModelVersion, is_cut: bool) -> Iterator[str]:
    """Yield the ids of a net's train split; of lines cut out of pages, what they know of these."""
    digest = str(model.manifest["dataset_digest"])
    key = workspace.find_snapshot(digest)
    if not key:
        message = f"the snapshot {digest[:12]} that {model.reference} was trained on is gone"
        raise ArtifactNotFound(message)
    if model.task == "detection":
        return workspace.open_pages(key).values("id", "train")
    return workspace.open_lines(key).values("group" if is_cut else "id", "train")
