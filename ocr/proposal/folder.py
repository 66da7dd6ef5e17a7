"""From image files to a folder that PPOCRLabel or Label Studio opens."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from ocr.dataset.pages.converters.labelstudio import (
    INTERFACE,
    INTERFACE_FILE,
    to_labelstudio_predictions,
)
from ocr.dataset.pages.converters.paddleocr import to_paddleocr
from ocr.errors import BadData, BadInput
from ocr.proposal.images import check_name, write_page
from ocr.proposal.page import ProposedPage
from ocr.proposal.reading import LeftOut, read_files
from ocr.proposal.shelf import PageShelf
from ocr.proposal.suggestion import Suggestion, write_list
from ocr.proposal.usefulness import Choice
from ocr.reading.page_reader import ReadsPages
from ocr.store.whole import folder_written_whole

ProposalKind = Literal["ppocrlabel", "labelstudio"]
LABELS: Final[dict[ProposalKind, str]] = {
    "ppocrlabel": "Cache.cach",
    "labelstudio": "labelstudio.json",
}
"""What the tool reads. PPOCRLabel keeps its own readings there, until a person confirms a page."""
_IMAGES: Final[dict[ProposalKind, str]] = {"ppocrlabel": "", "labelstudio": "images/"}


@dataclass(frozen=True)
class Proposal:
    """What a folder was made of.

    Attributes:
        suggestions: The pages it holds, in the order to check them.
        read: How many pages were read.
        left_out: What could not be read, and why.
    """

    suggestions: tuple[Suggestion, ...]
    read: int
    left_out: tuple[LeftOut, ...]


def propose_labels(
    files: Iterable[Path],
    folder: Path,
    *,
    kind: ProposalKind,
    reader: ReadsPages,
    budget: int,
    max_pixels: int,
    known: Mapping[tuple[str, int], str] = MappingProxyType({}),
) -> Proposal:
    """Read pages and write some of them to a new folder, in the order for a person to check.

    The folder appears when it is complete. No page in it is a label yet: PPOCRLabel finds what
    was read in its cache, and Label Studio finds predictions.

    Args:
        files: Images and PDFs.
        folder: Folder to make.
        kind: The tool.
        reader: Reads the pages.
        budget: Most pages to write.
        max_pixels: Largest image, width times height.
        known: Pages that were proposed before, of `read_known`: these are not proposed again, and
            pages like them are worth less; others of their documents are called as they are.

    Raises:
        ArtifactExists: The folder is there already.
        BadInput: There is no page to check, or labels could not name the folder.
    """
    check_name(folder.name)
    with folder_written_whole(folder) as part, tempfile.TemporaryFile(dir=part) as file:
        shelf = PageShelf(file)
        documents = {digest: document for (digest, _), document in known.items()}
        read = read_files(files, reader, max_pixels=max_pixels, documents=documents)
        left_out = list(_fill(shelf, read))
        choices = shelf.choose(budget=budget, known=known)
        if not choices:
            raise BadInput(_explain(len(shelf), left_out))
        written: list[tuple[str, Choice]] = []
        for choice in choices:
            source = shelf.get(choice.index).source
            named = f"{len(written) + 1:04}-{source.path.stem}"  # the tools list files by name
            try:
                image = write_page(source, part / _IMAGES[kind], named, max_pixels=max_pixels)
                written.append((f"{_IMAGES[kind]}{image}", choice))
            except BadData as error:  # what was read of the others is not lost
                left_out.append(LeftOut(source.name, str(error)))
        if not written:
            raise BadInput(_explain(0, left_out))
        pages = ((name, shelf.get(choice.index)) for name, choice in written)
        _write_labels(part, pages, kind, name=folder.name, model=reader.name)
        suggestions = tuple(
            Suggestion.of(shelf.get(choice.index), image=name, choice=choice)
            for name, choice in written
        )
        write_list(part, suggestions, model=reader.name)
    return Proposal(suggestions, read=len(shelf), left_out=tuple(left_out))


def _fill(
    shelf: PageShelf, found: Iterable[tuple[ProposedPage, bytes] | LeftOut]
) -> Iterator[LeftOut]:
    for each in found:
        if isinstance(each, LeftOut):
            yield each
        else:
            page, page_hash = each
            shelf.put(page, page_hash=page_hash)


def _explain(read: int, left_out: list[LeftOut]) -> str:
    if read:
        return f"all {read} pages were proposed before; there is none left to check"
    why = f", e.g. {left_out[0].name}: {left_out[0].why}" if left_out else ""
    return f"there is no page that can be read{why}"


def _write_labels(
    folder: Path,
    pages: Iterable[tuple[str, ProposedPage]],
    kind: ProposalKind,
    *,
    name: str,
    model: str,
) -> None:
    if kind == "ppocrlabel":  # names images by the project's folder, too
        labels = to_paddleocr((f"{name}/{image}", page) for image, page in pages)
    else:
        labels = to_labelstudio_predictions(pages, model=model)
        (folder / INTERFACE_FILE).write_text(INTERFACE, encoding="utf-8")
    with (folder / LABELS[kind]).open("w", encoding="utf-8") as file:
        file.writelines(labels)
