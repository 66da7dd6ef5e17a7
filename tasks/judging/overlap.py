"""Whether a version was trained on the very images that it is measured on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ocr.dataset.snapshot.snapshot import Sample
from ocr.errors import ArtifactNotFound, BadData
from ocr.gate.overlap import Overlap
from ocr.models.registry import ModelVersion, Registry
from tasks.workspace import Workspace

_OF_A_GROUP = "/"
"""No image is named so."""

_Place = tuple[str, str]
"""Id of an image, and where the labels say that it lies."""

_Key = str | _Place


def find_overlap(
    workspace: Workspace, version: str, tested: Iterable[Sample], *, are_pages: bool = False
) -> Overlap | None:
    """Look for the samples of a test in the train splits that made a version and its ancestors.

    Lines that were cut out of pages know the document of their page, or of none the page: a page of
    the test counts when any page of its document was among them. A line of a document counts when
    any of its document was, or itself: that another document has an equal one says nothing.

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
    known_by: dict[_Key, set[_Place]] = defaultdict(set)
    for sample in tested:
        for key in _keys(sample):
            known_by[key].add((sample.id, sample.image))
    seen, unknown = set[_Place](), ""
    model = workspace.registry.resolve(version)
    is_cut = are_pages or bool(model.parts)
    for learner in _list_learners(workspace.registry, model):
        try:
            for key in _trained_on(workspace, learner, is_cut=is_cut):
                if not key:
                    unknown = f"{learner} learnt lines that name no document"
                seen |= known_by.get(key, set())
        except (ArtifactNotFound, BadData) as error:  # the others are asked all the same
            unknown = str(error)
    return Overlap(samples=tuple(sorted(image or id_[:12] for id_, image in seen)), unknown=unknown)


def _keys(sample: Sample) -> Iterator[_Key]:
    """By what a sample of the test is known: if it has a group, not by its picture alone."""
    yield sample.id
    if sample.group:
        yield sample.group
        yield sample.id, sample.image
    else:
        yield sample.id, _OF_A_GROUP


def _list_learners(registry: Registry, model: ModelVersion) -> list[str]:
    """Name the nets of a version, each with those that it learnt on from."""
    found: list[str] = []
    for net in model.parts.values() or (model.reference,):
        learner = net
        while learner and learner not in found:
            found.append(learner)
            learner = _parent(registry, learner)
    return found


def _parent(registry: Registry, reference: str) -> str:
    """Name what a net learnt on from; empty: nothing, or the net is gone itself."""
    name, _, version = reference.partition(":")
    if not registry.has_version(name, version):
        return ""
    parent = registry.version(name, version).manifest.get("parent")
    return f"{name}:{parent}" if parent else ""


def _trained_on(workspace: Workspace, reference: str, *, is_cut: bool) -> Iterator[_Key]:
    """Yield what is known of a net's train split; of lines cut out of pages, their documents."""
    model = workspace.registry.resolve(reference)
    digest = str(model.manifest["dataset_digest"])
    key = workspace.find_snapshot(digest)
    if not key:
        message = f"the snapshot {digest[:12]} that {model.reference} was trained on is gone"
        raise ArtifactNotFound(message)
    if model.task == "detection":
        return workspace.open_pages(key).values("id", "train")
    lines = workspace.open_lines(key)
    return lines.values("group", "train") if is_cut else _of_lines(lines.samples("train"))


def _of_lines(trained: Iterable[Sample]) -> Iterator[_Key]:
    for line in trained:
        if line.group:
            yield line.group
            yield line.id, line.image
            yield line.id, _OF_A_GROUP
        else:
            yield line.id
