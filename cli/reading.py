"""Which model reads, and what it makes of one file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import settings_for
from configs.dataset import MAX_PIXELS
from ocr.errors import BadInput

if TYPE_CHECKING:  # numpy and the engines take seconds: only where a command needs them
    from ocr.image.pixels import Image
    from ocr.models.registry import ModelVersion, Registry
    from ocr.reading.page_reader import PageReader, PageReading
    from ocr.reading.recognition.recogniser import OnnxRecogniser

MAX_PAGES = 10_000


@dataclass(frozen=True)
class LineModel:
    """A model that reads images of one line."""

    reader: "OnnxRecogniser"

    def read(self, path: Path) -> list[dict[str, Any]]:
        """Read a file: one row."""
        (answer,) = self.reader.recognise([read_image(path)])
        confidence = round(answer.confidence, 4)
        return [{"image": str(path), "text": answer.text, "confidence": confidence}]


@dataclass(frozen=True)
class PageModel:
    """A pipeline, which reads pages."""

    reader: "PageReader"

    def read(self, path: Path) -> list[dict[str, Any]]:
        """Read a file: one row a page."""
        return [_describe(path, number, reading) for number, _, reading in self.read_pages(path)]

    def read_pages(self, path: Path) -> "Iterator[tuple[int, Image, PageReading]]":
        """Yield the pages of a file with their numbers, from 1, and what they read."""
        for number, page in open_pages(path):
            yield number, page, self.reader.read(page)


def load_model(reference: str, *, store: str) -> LineModel | PageModel:
    """Fetch a version of the registry to this machine, once, and load it.

    Args:
        reference: Of the version; empty: the only champion.
        store: URI of the store; empty: the environment's.

    Raises:
        BadInput: There is not exactly one champion, or the model does not read.
    """
    from ocr.processors import count_processors
    from tasks.readers import load_pipeline, load_recogniser
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    model = _choose(workspace.registry, reference)
    if model.task == "detection":
        raise BadInput(f"{model.reference} finds text and reads none; name its pipeline instead")
    if model.task == "pipeline":
        threads = count_processors()
        return PageModel(load_pipeline(workspace, model.reference, threads=threads))
    return LineModel(load_recogniser(workspace, model.reference))


def read_image(path: Path) -> "Image":
    """Read one image file.

    Raises:
        BadInput: It does not exist or is not an image.
    """
    from ocr.image.pixels import BadImage, decode_image

    try:
        return decode_image(path.read_bytes(), max_pixels=MAX_PIXELS)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except BadImage as error:
        raise BadInput(f"{path}: {error}") from None


def open_pages(path: Path) -> Iterator[tuple[int, "Image"]]:
    """Yield the pages of an image or PDF with their numbers, from 1.

    Raises:
        BadInput: It does not exist or is neither.
    """
    from ocr.image.document import read_pages
    from ocr.image.pdf import BadDocument
    from ocr.image.pixels import BadImage

    try:
        pages = read_pages(path.read_bytes(), max_pixels=MAX_PIXELS, max_pages=MAX_PAGES)
        yield from enumerate(pages, start=1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (BadImage, BadDocument) as error:
        raise BadInput(f"{path}: {error}") from None


def _choose(registry: "Registry", reference: str) -> "ModelVersion":
    if reference:
        return registry.resolve(reference)
    champions = [name for name in registry.names() if registry.champion(name)]
    if len(champions) != 1:
        known = ", ".join(champions) or "none yet"
        raise BadInput(f"Name one with --model; champions are: {known}")
    return registry.resolve(champions[0])


def _describe(path: Path, number: int, reading: "PageReading") -> dict[str, Any]:
    lines = [line.to_json() for line in reading.lines]
    return {
        "image": str(path),
        "page": number,
        "rotation": reading.rotation,
        "reread": reading.reread,
        "lines": lines,
    }
