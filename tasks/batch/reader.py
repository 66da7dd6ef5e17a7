"""The version of the registry that reads a batch, loaded by each of its processes."""

from collections.abc import Sequence
from dataclasses import dataclass

from ocr.batch.document import Read
from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine, Polygon
from ocr.models.registry import ModelVersion
from tasks.readers import load_pipeline, load_recogniser
from tasks.workspace import Workspace, open_workspace


def find_reader(workspace: Workspace, reference: str) -> ModelVersion:
    """Find the one version that reads the whole batch, and copy it to this machine.

    Raises:
        BadInput: It is a detector, which reads nothing.
    """
    model = workspace.registry.resolve(reference)
    if model.task == "detection":
        raise BadInput(f"{model.reference} finds text and reads none; name its pipeline instead")
    for part in (model, *map(workspace.registry.resolve, model.parts.values())):
        workspace.fetch_bundle(part)
    return model


@dataclass(frozen=True)
class RegisteredReader:
    """Loads a version of the registry; equal ones load the same."""

    reference: str
    reads_pages: bool

    def __call__(self, cores: int) -> Read:
        """Load it to read a page on so many cores."""
        workspace = open_workspace()
        if self.reads_pages:
            pages = load_pipeline(workspace, self.reference, threads=cores)
            return lambda image: pages.read(image).lines
        lines = load_recogniser(workspace, self.reference)

        def read(image: Image) -> Sequence[PageLine]:
            (answer,) = lines.recognise([image])
            if not answer.text.strip():
                return ()
            return (PageLine(_outline(image), answer.text, answer.confidence),)

        return read


def _outline(image: Image) -> Polygon:
    height_px, width_px = image.shape[:2]
    right, bottom = float(width_px), float(height_px)
    return ((0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom))
