"""Documents: encoded bytes to pages, one at a time; PDF, multi-page TIFF or one image."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ocr.image.pdf import BadDocument, Pdf, is_pdf
from ocr.image.pixels import Image, count_frames, decode_image

MAX_PAGES = 10_000
"""Limit of a document that its owner reads on a machine of their own."""


@dataclass(frozen=True)
class OpenDocument:
    """A document whose pages can be decoded, in any order.

    Attributes:
        pages: How many are to be read.
        decode: From the index of a page to its (H, W, 3) BGR; raises as `read_pages` does.
    """

    pages: int
    decode: Callable[[int], Image]


def read_pages(
    data: bytes, *, max_pixels: int, max_pages: int, wanted: int = 0
) -> Generator[Image, None, None]:
    """Decode the pages of a document; the content says what it is, whatever it is called.

    Args:
        data: A PDF, or an image as `decode_image` takes it. Of an animation the first frame is
            the only page.
        max_pixels: Most pixels of one page. Images beyond are refused, PDF pages drawn coarser.
        max_pages: Most pages that may be asked for.
        wanted: How many pages, from the first; 0 means all.

    Yields:
        (H, W, 3) BGR; only one is held in memory at a time.

    Raises:
        BadDocument: With the reason unreadable, encrypted, too_many_pages or too_slow.
        BadImage: A page that is an image cannot be decoded or has too many pixels.
    """
    with open_document(data, max_pixels=max_pixels, max_pages=max_pages, wanted=wanted) as document:
        for index in range(document.pages):
            yield document.decode(index)


@contextmanager
def open_document(
    data: bytes, *, max_pixels: int, max_pages: int, wanted: int = 0
) -> Iterator[OpenDocument]:
    """Open a document; arguments and errors are those of `read_pages`."""
    if wanted > max_pages:
        message = f"{wanted} pages are wanted, allowed are {max_pages}"
        raise BadDocument("too_many_pages", message)
    if not is_pdf(data):
        count = count_frames(data, at_most=wanted or max_pages + 1)
        yield OpenDocument(
            pages=_pages_to_read(count, max_pages=max_pages, wanted=wanted),
            decode=lambda index: decode_image(data, max_pixels=max_pixels, frame=index),
        )
        return
    with Pdf(data) as pdf:
        yield OpenDocument(
            pages=_pages_to_read(pdf.page_count, max_pages=max_pages, wanted=wanted),
            decode=lambda index: pdf.draw(index, max_pixels=max_pixels),
        )


def _pages_to_read(count: int, *, max_pages: int, wanted: int) -> int:
    if not count:
        raise BadDocument("unreadable", "The document has no page")
    pages = min(count, wanted) if wanted else count
    if pages > max_pages:
        message = f"The document has more than {max_pages} pages; ask for the first ones"
        raise BadDocument("too_many_pages", message)
    return pages
