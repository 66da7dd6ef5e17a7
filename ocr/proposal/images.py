"""Images of pages in the folder that is made, and what it may be called."""

import hashlib
import re
from itertools import count
from pathlib import Path

from ocr.errors import BadData, BadInput
from ocr.image.document import MAX_PAGES, open_document
from ocr.image.header import JPEG_MAGIC, PNG_MAGIC, image_suffix
from ocr.image.pixels import encode_png
from ocr.proposal.page import PageSource
from ocr.proposal.reading import read_file

_SHOWN_EVERYWHERE = (JPEG_MAGIC, PNG_MAGIC)
_LONGEST_STEM_BYTES = 200
_UNWRITABLE = re.compile(r"[\t\r\n\ud800-\udfff]")


def check_name(name: str) -> None:
    """Refuse what PPOCRLabel's rows of tabs, or UTF-8, cannot hold.

    Raises:
        BadInput: Labels could not name the folder.
    """
    if _UNWRITABLE.search(name):
        raise BadInput(
            f"labels cannot name the folder {name!r}: expected UTF-8 without tabs and line breaks"
        )


def write_page(source: PageSource, folder: Path, named: str, *, max_pixels: int) -> str:
    """Write the image of a page, and return its name.

    Args:
        source: The page.
        folder: Where; it is made.
        named: What it is called, as far as file systems and labels allow; a number is added where
            another page is called so.
        max_pixels: Largest image, width times height.

    Raises:
        BadData: Its file is another one by now, or gone.
    """
    data = encode_page(source, max_pixels=max_pixels)
    folder.mkdir(exist_ok=True)
    whole = re.sub(r"[^\w.-]+", "_", named).encode()
    stem = whole[:_LONGEST_STEM_BYTES].decode(errors="ignore")
    page = f"-p{source.number}" if source.pages > 1 else ""
    again = ("" if at == 1 else f"-{at}" for at in count(1))
    names = (f"{stem}{page}{number}{image_suffix(data)}" for number in again)
    name = next(each for each in names if not (folder / each).exists())
    (folder / name).write_bytes(data)
    return name


def encode_page(source: PageSource, *, max_pixels: int) -> bytes:
    """Return a page as an image that every tool shows.

    A JPEG or PNG is itself, byte for byte; a page of anything else becomes a PNG.

    Raises:
        BadData: The file is another one by now, or gone.
    """
    data = read_file(source.path)
    if hashlib.sha256(data).hexdigest() != source.digest:
        raise BadData("changed since it was read")
    if data.startswith(_SHOWN_EVERYWHERE):
        return data
    with open_document(data, max_pixels=max_pixels, max_pages=MAX_PAGES) as document:
        return encode_png(document.decode(source.number))
