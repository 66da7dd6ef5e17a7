"""Who was trained on the very lines that it reads: it looks better there than it is."""

from collections.abc import Iterable, Iterator, Sequence

from ocr.dataset.snapshot.snapshot import Sample
from ocr.models.registry import ModelVersion
from tasks.judging.overlap import find_overlap
from tasks.workspace import Workspace


def find_learners(
    workspace: Workspace, models: Iterable[ModelVersion], tested: Sequence[Sample], *, of: str
) -> Iterator[str]:
    """Say of every recogniser what of a test it was trained on.

    Args:
        workspace: Where the models and their datasets are.
        models: Recognisers, and pipelines, whose recognisers are asked.
        tested: The test's lines or pages.
        of: Which of the two, and whose.
    """
    names = (name for model in models for name in (model.parts.values() or (model.reference,)))
    for name in dict.fromkeys(names):
        if workspace.registry.resolve(name).task != "recognition":
            continue
        for are_pages in (False, True):  # by their images, and by the pages they were cut out of
            overlap = find_overlap(workspace, name, tested, are_pages=are_pages)
            if overlap and overlap.samples:
                share = f"{len(overlap.samples)} of the {len(tested)} {of}"
                yield f"{name} was trained on {share}: it looks better there than it is"
                break
