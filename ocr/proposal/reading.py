"""The pages of image files and PDFs, read one by one."""

import hashlib
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ocr.dataset.pages.copies import page_hash
from ocr.errors import BadData
from ocr.image.document import MAX_PAGES, OpenDocument, open_document
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, to_grey
from ocr.proposal.page import PageSource, ProposedPage, show_path
from ocr.reading.page_reader import ReadsPages

_DOCUMENT_DIGITS = 16


@dataclass(frozen=True)
class LeftOut:
    """A file or a page that cannot be read, and why."""

    name: str
    why: str


def read_files(
    files: Iterable[Path],
    reader: ReadsPages,
    *,
    max_pixels: int,
    documents: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[tuple[ProposedPage, bytes] | LeftOut]:
    """Read every page of every file; one is in memory at a time.

    Args:
        files: Images and PDFs.
        reader: Reads the pages.
        max_pixels: Largest image, width times height; pages of PDFs are drawn coarser instead.
        documents: What documents are called already, by the digests of their files.

    Yields:
        Pages, each with its perceptual hash; of what is damaged, or a copy of a file before it,
        the name.
    """
    seen: dict[str, str] = {}
    for path in files:
        name = show_path(path)
        try:
            data = read_file(path)
        except BadData as error:
            yield LeftOut(name, str(error))
            continue
        digest = hashlib.sha256(data).hexdigest()
        if digest in seen:
            yield LeftOut(name, f"the same file as {seen[digest]}")
            continue
        seen[digest] = name
        called = documents.get(digest, digest[:_DOCUMENT_DIGITS])
        try:
            with open_document(data, max_pixels=max_pixels, max_pages=MAX_PAGES) as document:
                for number in document.numbers:
                    source = PageSource(path, number, len(document.numbers), digest, called)
                    yield _read_page(document, source, reader)
        except (BadImage, BadDocument) as error:
            yield LeftOut(name, str(error))


def read_file(path: Path) -> bytes:
    """Read a file; a pipe or device, which may never end, is refused.

    Raises:
        BadData: It is none, or cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadData("not a file")
        return path.read_bytes()
    except OSError as error:
        raise BadData(error.strerror or str(error)) from error


def _read_page(
    document: OpenDocument, source: PageSource, reader: ReadsPages
) -> tuple[ProposedPage, bytes] | LeftOut:
    try:
        image = document.decode(source.number)
    except (BadImage, BadDocument) as error:
        return LeftOut(source.name, str(error))
    height, width = image.shape[:2]
    page = ProposedPage(source, width, height, reader.read(image).lines)
    return page, page_hash(to_grey(image))
