"""Whether a version was trained on the very images that it is measured on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ocr.dataset.snapshot.snapshot import Sample
from ocr.errors import ArtifactNotFound, BadData
from ocr.gate.overlap import Overlap
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

    Raises:
        ArtifactNotFound: There is no such version.
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
    parts = workspace.registry.resolve(version).parts
    for part in parts or (version,):
        try:
            for key in _trained_on(workspace, part, is_cut=are_pages or bool(parts)):
                if not key:
                    unknown = f"{part} learnt lines that name no document"
                seen |= known_by.get(key, set())
        except (ArtifactNotFound, BadData) as error:  # the other parts are asked all the same
            unknown = str(error)
    return Overlap(samples=tuple(sorted(names[id_] for id_ in seen)), unknown=unknown)


def _trained_on(workspace: Workspace, reference: str, *, is_cut: bool) -> Iterator[str]:
    """Yield the ids of a net's train split; of lines cut out of pages, what they know of these."""
    model = workspace.registry.resolve(reference)
    digest = str(model.manifest["dataset_digest"])
    key = workspace.find_snapshot(digest)
    if not key:
        message = f"the snapshot {digest[:12]} that {model.reference} was trained on is gone"
        raise ArtifactNotFound(message)
    if model.task == "detection":
        return workspace.open_pages(key).values("id", "train")
    return workspace.open_lines(key).values("group" if is_cut else "id", "train")
