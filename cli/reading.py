"""Which model reads, and what it makes of one file."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cli.options import settings_for
from cli.output import tell
from configs.dataset import MAX_PIXELS
from ocr.errors import BadInput
from ocr.image.header import IMAGE_SUFFIXES
from ocr.store.whole import read_plain

if TYPE_CHECKING:  # numpy and the engines take seconds: only where a command needs them
    from ocr.image.pixels import Image
    from ocr.models.registry import Registry
    from ocr.reading.page_reader import PageReader, PageReading, ReadsPages
    from ocr.reading.recognition.recogniser import OnnxRecogniser

OFF_THE_SHELF: Final = "rapidocr"
SUFFIXES: Final = {*IMAGE_SUFFIXES, ".pdf"}


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
    registry = workspace.registry
    model = registry.resolve(reference or name_only_champion(registry))
    if model.task == "detection":
        raise BadInput(f"{model.reference} finds text and reads none; name its pipeline instead")
    if model.task == "pipeline":
        threads = count_processors()
        return PageModel(load_pipeline(workspace, model.reference, threads=threads))
    return LineModel(load_recogniser(workspace, model.reference))


def load_page_reader(reference: str, *, store: str) -> "ReadsPages":
    """Load a pipeline of the registry, or the models off the shelf, for people who correct pages.

    Nothing is set aside.

    Args:
        reference: Of a pipeline, or OFF_THE_SHELF; empty: the only champion that reads pages, and
            where there is none the models off the shelf.
        store: URI of the store; empty: the environment's.

    Raises:
        BadInput: There are several champions, the model reads no pages, or the package of the
            models off the shelf is not installed.
    """
    from ocr.processors import count_processors
    from ocr.reading.baselines import RapidOcrPages
    from tasks.readers import load_pipeline
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    registry, threads = workspace.registry, count_processors()
    champions = [n for n in _champions(registry) if registry.resolve(n).task == "pipeline"]
    if reference == OFF_THE_SHELF or not (reference or champions):
        return RapidOcrPages(threads=threads)
    model = registry.resolve(reference or _only(champions))
    if model.task != "pipeline":
        raise BadInput(f"{model.reference} reads no pages; name a pipeline or {OFF_THE_SHELF}")
    return load_pipeline(workspace, model.reference, threads=threads, sets_aside=False)


def name_only_champion(registry: "Registry") -> str:
    """Return the model that has a champion.

    Raises:
        BadInput: There is not exactly one.
    """
    return _only(_champions(registry))


def list_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the images and PDFs of paths, folders searched through; what else is there is told.

    Hidden files, and what folders hold that are hidden or linked, are left out, as of a dataset.

    Raises:
        BadInput: A folder holds none.
    """
    for path in paths:
        if path.is_dir():
            yield from _search(path)
        else:
            yield path


def _search(folder: Path) -> Iterator[Path]:
    # What cannot be looked at is no folder here, and is named when it is read.
    files, folders = list[Path](), list[Path]()
    for at, inner, names in os.walk(folder):
        files += [Path(at, name) for name in names]
        folders += [Path(at, name) for name in inner]
    hidden = {path for path in (*files, *folders) if _is_hidden(path.relative_to(folder))}
    known = {path for path in files if path.suffix.lower() in SUFFIXES}
    images, others = sorted(known - hidden), sorted(set(files) - known - hidden)
    _tell_left_out(sorted(known & hidden), "is hidden", "as are {} others")
    linked = sorted(path for path in folders if path.is_symlink() and path not in hidden)
    _tell_left_out(linked, "is a link to a folder, name that to read it", "as are {} others")
    if not images:
        raise BadInput(f"{folder} holds no image; known are {', '.join(sorted(SUFFIXES))}")
    _tell_left_out(others, "is called like no image and no PDF", "nor are {} others")
    for path in images:
        if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - never fail
            tell("[yellow]left out[/]", f"{path} is not a plain file")
        else:
            yield path


def _tell_left_out(paths: Sequence[Path], said: str, of_others: str) -> None:
    """Name the first of some paths, and say how many more there are."""
    if paths:
        more = f", {of_others.format(len(paths) - 1)}" if len(paths) > 1 else ""
        tell("[yellow]left out[/]", f"{paths[0]} {said}{more}")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def read_image(path: Path) -> "Image":
    """Read one image file.

    Raises:
        BadInput: It does not exist, is no plain file, is not an image, or is several.
    """
    from ocr.image.pixels import BadImage, count_frames, decode_image

    try:
        data = read_plain(path)
        if count_frames(data, at_most=2) > 1:
            raise BadInput(f"{path} has several pages; a model of single lines reads one image")
        return decode_image(data, max_pixels=MAX_PIXELS)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except BadImage as error:
        raise BadInput(f"{path}: {error}") from None


def open_pages(path: Path) -> Iterator[tuple[int, "Image"]]:
    """Yield the pages of an image or PDF with their numbers, from 1.

    Raises:
        BadInput: It does not exist, is no plain file, or is neither.
    """
    from ocr.image.document import MAX_PAGES, read_pages
    from ocr.image.pdf import BadDocument
    from ocr.image.pixels import BadImage

    try:
        pages = read_pages(read_plain(path), max_pixels=MAX_PIXELS, max_pages=MAX_PAGES)
        yield from enumerate(pages, start=1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (BadImage, BadDocument) as error:
        raise BadInput(f"{path}: {error}") from None


def _champions(registry: "Registry") -> list[str]:
    return [name for name in registry.names() if registry.champion(name)]


def _only(champions: Sequence[str]) -> str:
    if len(champions) != 1:
        known = ", ".join(champions) or "none yet"
        raise BadInput(f"Name one with --model; champions are: {known}")
    return champions[0]


def _describe(path: Path, number: int, reading: "PageReading") -> dict[str, Any]:
    lines = [line.to_json() for line in reading.lines]
    return {
        "image": str(path),
        "page": number,
        "rotation": reading.rotation,
        "reread": reading.reread,
        "lines": lines,
        "set_aside": [line.to_json() for line in reading.set_aside],
    }
