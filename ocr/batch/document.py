"""One file to its pages, or to why it has none."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ocr.batch.shard import ReadingLimits
from ocr.batch.source import SUFFIXES, InputFile, Source, Unreadable
from ocr.decoding.decoder import Document
from ocr.decoding.decoders import Decoders
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, Image
from ocr.models.page_line import PageLine

Read = Callable[[Image], Sequence[PageLine]]
"""From a (H, W, 3) BGR page to its lines, in reading order."""


@dataclass(frozen=True)
class ReadPage:
    """A page, counted from 1, and its lines, of which there may be none."""

    number: int
    lines: Sequence[PageLine]


@dataclass(frozen=True)
class Refusal:
    """What could not be read; page 0 is the whole file.

    ``is_as_listed``: the file was met as it was listed, and is refused whenever it is.
    """

    page: int
    reason: str
    detail: str
    is_as_listed: bool = True


def read_file(
    file: InputFile, *, source: Source, limits: ReadingLimits, decoders: Decoders, read: Read
) -> Iterator[ReadPage | Refusal]:
    """Read a file, page by page; only one is held in memory.

    A damaged page leaves the others; a file that nobody can open is refused as a whole.

    Raises:
        DecoderFailed: No decoder starts on this machine.
        StoreUnavailable: The store cannot be reached.
    """
    if file.is_linked_folder:
        detail = "a linked folder that leads out of the source: name it as a source of its own"
        yield Refusal(0, "outside_root", detail)
        return
    if not file.is_known:
        yield Refusal(0, "unknown_suffix", f"no image and no PDF; known are {', '.join(SUFFIXES)}")
        return
    try:
        content = source.read(file, max_bytes=limits.max_bytes)
    except Unreadable as error:
        is_refused_by_size = file.size > limits.max_bytes  # it was not even opened
        yield Refusal(0, error.reason, error.detail, is_as_listed=is_refused_by_size)
        return
    document = Document(content, max_pixels=limits.max_pixels, max_pages=limits.max_pages)
    index, pages = 0, 1
    while index < pages:
        try:
            decoded = decoders.decode(document, index)
        except (BadDocument, BadImage) as error:
            yield Refusal(index + 1 if index else 0, error.reason, str(error))
        else:
            pages = decoded.pages.wanted
            if isinstance(decoded.outcome, BadDocument | BadImage):
                yield Refusal(index + 1, decoded.outcome.reason, str(decoded.outcome))
            else:
                yield ReadPage(index + 1, read(decoded.outcome))
        index += 1
