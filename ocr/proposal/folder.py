"""From image files to a folder that PPOCRLabel or Label Studio opens."""

import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, Literal, TypeVar

from ocr.dataset.pages.converters.labelstudio import (
    INTERFACE,
    INTERFACE_FILE,
    to_labelstudio_predictions,
)
from ocr.dataset.pages.converters.paddleocr import to_paddleocr
from ocr.errors import BadData, BadInput
from ocr.image.header import image_suffix
from ocr.proposal.page import PageSource, ProposedPage, UncheckedPage
from ocr.proposal.reading import LeftOut, encode_page, read_files
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
UNCHECKED_LABELS: Final = "Label.txt"
"""What is trained on as it is."""
_IMAGES: Final[dict[ProposalKind, str]] = {"ppocrlabel": "", "labelstudio": "images/"}
PageT = TypeVar("PageT")
UNSURE: Final = "no line with a confidence of"
_LONGEST_STEM_BYTES = 200
_UNWRITABLE = re.compile(r"[\t\r\n\ud800-\udfff]")


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
    known: Collection[tuple[str, int]] = (),
    sure: float | None = None,
) -> Proposal:
    """Read pages and write some of them to a new folder, in the order for a person to check.

    The folder appears when it is complete. No page in it is a label yet: PPOCRLabel finds what
    was read in its cache, and Label Studio finds predictions. With `sure`, its lines are labels
    that nobody checked.

    Args:
        files: Images and PDFs.
        folder: Folder to make.
        kind: The tool.
        reader: Reads the pages.
        budget: Most pages to write.
        max_pixels: Largest image, width times height.
        known: Pages that were proposed before, of `read_known`: these are not proposed again, and
            pages like them are worth less.
        sure: Lines of this confidence, 0 to 1, are labels, and others are ignored; PPOCRLabel's
            alone. None: none is.

    Raises:
        ArtifactExists: The folder is there already.
        BadInput: There is no page to check, or labels could not name the folder.
    """
    _check_name(folder.name)
    with folder_written_whole(folder) as part, tempfile.TemporaryFile(dir=part) as file:
        shelf = PageShelf(file)
        found = read_files(files, reader, max_pixels=max_pixels)
        left_out = list(_fill(shelf, found, sure=sure))
        choose = shelf.choose if sure is None else shelf.take
        choices = choose(budget=budget, known=known)
        if not choices:
            raise BadInput(_explain(len(shelf), left_out, sure=sure))
        parents = [each.path.parent for each in shelf.sources]
        base = Path() if sure is None else Path(os.path.commonpath(parents))
        written: list[tuple[str, Choice]] = []
        for choice in choices:
            source = shelf.get(choice.index).source
            stem = source.path.stem
            named = f"{len(written) + 1:04}-{stem}" if sure is None else _name_within(base, source)
            try:
                image = _write_image(source, part, named, kind, max_pixels=max_pixels)
                written.append((image, choice))
            except BadData as error:  # what was read of the others is not lost
                left_out.append(LeftOut(source.name, str(error)))
        if not written:
            raise BadInput(_explain(0, left_out, sure=None))
        pages = ((name, shelf.get(choice.index)) for name, choice in written)
        if sure is None:
            _write_labels(part, pages, kind, name=folder.name, model=reader.name)
        else:
            _write_unchecked(part, pages, name=folder.name, sure=sure)
        suggestions = tuple(
            Suggestion.of(shelf.get(choice.index), image=name, choice=choice, sure=sure)
            for name, choice in written
        )
        write_list(part, suggestions, model=reader.name)
    return Proposal(suggestions, read=len(shelf), left_out=tuple(left_out))


def _check_name(name: str) -> None:
    """Refuse what PPOCRLabel's rows of tabs, or UTF-8, cannot hold."""
    if _UNWRITABLE.search(name):
        raise BadInput(
            f"labels cannot name the folder {name!r}: expected UTF-8 without tabs and line breaks"
        )


def _fill(
    shelf: PageShelf,
    found: Iterable[tuple[ProposedPage, bytes] | LeftOut],
    *,
    sure: float | None,
) -> Iterator[LeftOut]:
    for each in found:
        if isinstance(each, LeftOut):
            yield each
            continue
        page, page_hash = each
        if sure is None or UncheckedPage(page, sure).labels:
            shelf.put(page, page_hash=page_hash)
        else:
            yield LeftOut(page.source.name, f"{UNSURE} {sure:g}")


def _explain(read: int, left_out: list[LeftOut], *, sure: float | None) -> str:
    if read:
        return f"all {read} pages were proposed before; there is none left"
    unsure = sum(each.why.startswith(UNSURE) for each in left_out)
    if unsure:
        return f"{unsure} pages were read, {UNSURE} {sure:g}; lower --sure"
    why = f", e.g. {left_out[0].name}: {left_out[0].why}" if left_out else ""
    return f"there is no page that can be read{why}"


def _name_within(base: Path, source: PageSource) -> str:
    """Return what a page that nobody checks is called: its path says of which document it is."""
    return "_".join(source.path.relative_to(base).with_suffix("").parts)


def _write_image(
    source: PageSource, folder: Path, named: str, kind: ProposalKind, *, max_pixels: int
) -> str:
    """Write the image of a page under a name, to which a number is added if another has it."""
    data = encode_page(source, max_pixels=max_pixels)
    whole = re.sub(r"[^\w.-]+", "_", named).encode()
    stem = whole[:_LONGEST_STEM_BYTES].decode(errors="ignore")
    page = f"-p{source.number}" if source.pages > 1 else ""
    suffix = image_suffix(data)
    name = f"{_IMAGES[kind]}{stem}{page}{suffix}"
    for number in count(2):
        if not (folder / name).exists():
            break
        name = f"{_IMAGES[kind]}{stem}{page}-{number}{suffix}"
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return name


def _write_labels(
    folder: Path,
    pages: Iterable[tuple[str, ProposedPage]],
    kind: ProposalKind,
    *,
    name: str,
    model: str,
) -> None:
    if kind == "ppocrlabel":
        labels = to_paddleocr(_in_folder(name, pages))
    else:
        labels = to_labelstudio_predictions(pages, model=model)
        (folder / INTERFACE_FILE).write_text(INTERFACE, encoding="utf-8")
    with (folder / LABELS[kind]).open("w", encoding="utf-8") as file:
        file.writelines(labels)


def _write_unchecked(
    folder: Path, pages: Iterable[tuple[str, ProposedPage]], *, name: str, sure: float
) -> None:
    labels = ((image, UncheckedPage(page, sure)) for image, page in pages)
    with (folder / UNCHECKED_LABELS).open("w", encoding="utf-8") as file:
        file.writelines(to_paddleocr(_in_folder(name, labels)))


def _in_folder(name: str, pages: Iterable[tuple[str, PageT]]) -> Iterator[tuple[str, PageT]]:
    """Name images by the project's folder, too, as PPOCRLabel does."""
    return ((f"{name}/{image}", page) for image, page in pages)
