"""From image files to labels that another model learns from, though nobody checked them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ocr.dataset.labels.encoding import ILLEGIBLE
from ocr.dataset.pages.converters.paddleocr import to_row
from ocr.dataset.pages.region import Region
from ocr.errors import BadData, BadInput
from ocr.models.page_line import PageLine
from ocr.proposal.images import check_name, write_page
from ocr.proposal.page import PageSource, ProposedPage
from ocr.proposal.reading import LeftOut, read_files
from ocr.reading.page_reader import ReadsPages
from ocr.store.whole import folder_written_whole

LABELS: Final = "Label.txt"


@dataclass(frozen=True)
class UncheckedLabels:
    """What a folder holds.

    Attributes:
        pages: How many were written.
        lines: How many were read on them.
        labels: How many of these are labels; the others are ignored.
        left_out: What could not be read, or not surely, and why.
    """

    pages: int
    lines: int
    labels: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class SurePage:
    """A page as a model labels it: what it is not sure of is neither text nor background.

    Attributes:
        page: What was read.
        sure: Least confidence of a line that counts, 0 to 1.
    """

    page: ProposedPage
    sure: float

    @property
    def width(self) -> int:
        """In pixels."""
        return self.page.width

    @property
    def height(self) -> int:
        """In pixels."""
        return self.page.height

    @property
    def regions(self) -> tuple[Region, ...]:
        """The lines as labels."""
        return tuple(
            Region(line.polygon, line.text, ignored=not self._is_sure(line))
            for line in self.page.lines
        )

    @property
    def labels(self) -> int:
        """How many lines are labels."""
        return sum(map(self._is_sure, self.page.lines))

    def _is_sure(self, line: PageLine) -> bool:
        text = line.text.strip()
        return line.confidence >= self.sure and bool(text) and text not in ILLEGIBLE


def label_unchecked(
    files: Iterable[Path],
    folder: Path,
    *,
    within: Path,
    reader: ReadsPages,
    sure: float,
    max_pixels: int,
    budget: int | None = None,
    known: Collection[tuple[str, int]] = (),
) -> UncheckedLabels:
    """Read pages and write them to a new folder, with a label file of PaddleOCR and PPOCRLabel.

    The folder appears when it is complete.

    Args:
        files: Images and PDFs.
        folder: Folder to make.
        within: Folder of the files: a page is called by its path there, which may say of which
            document it is.
        reader: Reads the pages.
        sure: Least confidence of a line that is a label, 0 to 1.
        max_pixels: Largest image, width times height.
        budget: Most pages to write; None: all.
        known: Pages that somebody checks, of `read_known`: these are not written.

    Raises:
        ArtifactExists: The folder is there already.
        BadInput: There is no page to learn from, or labels could not name the folder.
    """
    check_name(folder.name)
    pages = lines = labels = 0
    left_out: list[LeftOut] = []
    with folder_written_whole(folder) as part, (part / LABELS).open("w", encoding="utf-8") as file:
        for found in read_files(files, reader, max_pixels=max_pixels):
            if isinstance(found, LeftOut):
                left_out.append(found)
                continue
            page, _ = found
            source, read = page.source, SurePage(page, sure)
            if (source.digest, source.number) in known:
                continue
            try:
                if not read.labels:
                    raise BadData(f"no line is read with a confidence of {sure:g}")
                image = write_page(source, part, _name(source, within), max_pixels=max_pixels)
            except BadData as error:
                left_out.append(LeftOut(source.name, str(error)))
                continue
            file.write(to_row(f"{folder.name}/{image}", read))
            pages, lines, labels = pages + 1, lines + len(page.lines), labels + read.labels
            if pages == budget:
                break
        if not pages:
            raise BadInput(_explain(left_out))
    return UncheckedLabels(pages, lines, labels, tuple(left_out))


def _name(source: PageSource, within: Path) -> str:
    return "_".join(source.path.relative_to(within).with_suffix("").parts)


def _explain(left_out: Sequence[LeftOut]) -> str:
    if not left_out:
        return "there is no page to learn from"
    example = left_out[-1]
    return (
        f"there is no page to learn from; {len(left_out)} are left out, "
        f"e.g. {example.name}: {example.why}"
    )
