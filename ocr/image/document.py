"""Documents: encoded bytes to pages, one at a time; PDF, multi-page TIFF or one image."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final

from ocr.image.pdf import BadDocument, Pdf, is_pdf
from ocr.image.pixels import Image, count_frames, decode_image

MAX_PAGES = 10_000
"""Limit of a document that its owner reads on a machine of their own."""

PageRanges = Sequence[tuple[int, int]]
"""First and last page of each range, from 1, in ascending order, none in two."""

ALL: Final[PageRanges] = ()


@dataclass(frozen=True)
class OpenDocument:
    """A document whose pages can be decoded, in any order.

    Attributes:
        page_count: How many pages there are; of a TIFF at most MAX_PAGES are counted.
        numbers: Of the pages that are to be read, from 1.
        decode: From the number of a page to its (H, W, 3) BGR; raises as `read_pages` does.
    """

    page_count: int
    numbers: tuple[int, ...]
    decode: Callable[[int], Image]


def page_numbers(wanted: PageRanges) -> Iterator[int]:
    """Yield the numbers of pages in ranges; without a range, all there are."""
    ranges = wanted or [(1, MAX_PAGES)]
    return chain.from_iterable(range(first, last + 1) for first, last in ranges)


def read_pages(
    data: bytes, *, max_pixels: int, max_pages: int, wanted: PageRanges = ALL
) -> Generator[Image, None, None]:
    """Decode the pages of a document; the content says what it is, whatever it is called.

    Args:
        data: A PDF, or an image as `decode_image` takes it. Of an animation the first frame is
            the only page.
        max_pixels: Most pixels of one page. Images beyond are refused, PDF pages drawn coarser.
        max_pages: Most pages that may be asked for.
        wanted: Which pages; those that there are not are left out.

    Yields:
        (H, W, 3) BGR; only one is held in memory at a time.

    Raises:
        BadDocument: With the reason unreadable, encrypted, too_many_pages, no_such_page or
            too_slow.
        BadImage: A page that is an image cannot be decoded or has too many pixels.
    """
    with open_document(data, max_pixels=max_pixels, max_pages=max_pages, wanted=wanted) as document:
        for number in document.numbers:
            yield document.decode(number)


@contextmanager
def open_document(
    data: bytes, *, max_pixels: int, max_pages: int, wanted: PageRanges = ALL
) -> Iterator[OpenDocument]:
    """Open a document; arguments and errors are those of `read_pages`."""
    asked = sum(last - first + 1 for first, last in wanted)
    if asked > max_pages:
        message = f"{asked} pages are wanted, allowed are {max_pages}"
        raise BadDocument("too_many_pages", message)
    if not is_pdf(data):
        most = MAX_PAGES if wanted else max_pages + 1
        count = count_frames(data, at_most=most, counts_damaged=bool(wanted))
        yield OpenDocument(
            page_count=count,
            numbers=_numbers_to_read(
                count, said=f"more than {max_pages}", max_pages=max_pages, wanted=wanted
            ),
            decode=lambda number: decode_image(data, max_pixels=max_pixels, frame=number - 1),
        )
        return
    with Pdf(data) as pdf:
        yield OpenDocument(
            page_count=pdf.page_count,
            numbers=_numbers_to_read(
                pdf.page_count, said=str(pdf.page_count), max_pages=max_pages, wanted=wanted
            ),
            decode=lambda number: pdf.draw(number - 1, max_pixels=max_pixels),
        )


def _numbers_to_read(
    count: int, *, said: str, max_pages: int, wanted: PageRanges
) -> tuple[int, ...]:
    if not count:
        raise BadDocument("unreadable", "The document has no page")
    if not wanted and count > max_pages:
        message = f"The document has {said} pages; say at most {max_pages}, as in 1-{max_pages}"
        raise BadDocument("too_many_pages", message)
    there = tuple(takewhile(lambda number: number <= count, page_numbers(wanted)))
    if not there:
        message = f"There is no page {wanted[0][0]}: the document has {count}"
        raise BadDocument("no_such_page", message)
    return there
