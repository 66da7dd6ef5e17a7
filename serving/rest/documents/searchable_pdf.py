"""A PDF of pictures of pages, in which the text that was read of them is found and selected."""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final
from unicodedata import bidirectional

from PIL.JpegImagePlugin import JpegImageFile

from ocr.errors import BadInput
from serving.rest.documents.glyphless_font import GlyphlessFont
from serving.rest.documents.pdf_file import PdfFile
from serving.rest.documents.placed_text import Corners, PlacedLine, PlacedWord, place_lines

PIXELS_PER_INCH: Final = 200
"""As `ocr.image.pdf` draws pages."""

_POINTS_PER_PIXEL: Final = 72 / PIXELS_PER_INCH
_COLOUR_SPACES: Final = {"L": "/DeviceGray", "RGB": "/DeviceRGB"}
_INVISIBLE: Final = 3  # text rendering mode, ISO 32000-1, 9.3.6


def write_searchable_pdf(pages: Sequence[Mapping[str, Any]], pictures: Sequence[bytes]) -> bytes:
    """Return a PDF of one page per page, each a picture under invisible text.

    Every word, or line whose words are not known, is turned and stretched to fill its polygon, as
    Tesseract's and OCRmyPDF's are. Of a line that runs in both directions a viewer may tell the
    order only if its words are known. The same arguments give the same bytes; several threads may
    call it.

    Args:
        pages: As `serving.rest.documents.placed_text.place_lines` takes them, with `width` and
            `height` in pixels, `PIXELS_PER_INCH` of them an inch, and `rotation` in degrees.
        pictures: A JPEG of each page, grey or in colour, of any size; it is not encoded again.

    Raises:
        BadInput: There are more or fewer pictures than pages, or one is no such JPEG.
    """
    if len(pages) != len(pictures):
        raise BadInput(f"{len(pictures)} pictures of {len(pages)} pages, expected one of each")
    pdf, font = PdfFile(), GlyphlessFont()
    texts = [_show_text(place_lines(page), font) for page in pages]
    font_reference = font.add_to(pdf)
    for page, picture, text in zip(pages, pictures, texts, strict=True):
        width_px, height_px = page["width"], page["height"]
        pdf.add_page(
            MediaBox=[0, 0, width_px * _POINTS_PER_PIXEL, height_px * _POINTS_PER_PIXEL],
            Rotate=page["rotation"],  # it stands upright, and its words are met as they are read
            Resources={
                "Font": {"Text": font_reference},
                "XObject": {"Picture": _add_picture(pdf, picture)},
            },
            Contents=pdf.add_stream(_show_page(width_px, height_px, text).encode()),
        )
    return pdf.to_bytes()


def _add_picture(pdf: PdfFile, picture: bytes) -> str:
    try:
        header = JpegImageFile(io.BytesIO(picture))  # decodes no pixel, so any size may be
    except (OSError, SyntaxError):
        raise BadInput(f"A picture is no JPEG: {len(picture)} bytes") from None
    if header.mode not in _COLOUR_SPACES:
        raise BadInput(f"A picture is a JPEG in {header.mode}, expected grey or colour")
    return pdf.add_stream(
        picture,
        Type="/XObject",
        Subtype="/Image",
        Width=header.width,
        Height=header.height,
        ColorSpace=_COLOUR_SPACES[header.mode],
        BitsPerComponent=8,
        Filter="/DCTDecode",
    )


def _show_page(width_px: int, height_px: int, text: str) -> str:
    """Return what draws a page: from here on, one is a pixel, and y grows downwards."""
    height_pt = height_px * _POINTS_PER_PIXEL
    return "\n".join(
        (
            f"{_POINTS_PER_PIXEL:.4f} 0 0 {-_POINTS_PER_PIXEL:.4f} 0 {height_pt:.2f} cm",
            f"q {width_px} 0 0 {-height_px} 0 {height_px} cm /Picture Do Q",
            f"BT /Text 1 Tf {_INVISIBLE} Tr",
            text,
            "ET",
        )
    )


def _show_text(lines: Sequence[PlacedLine], font: GlyphlessFont) -> str:
    return "\n".join(_show_word(word, font) for line in lines for word in line.words)


def _show_word(word: PlacedWord, font: GlyphlessFont) -> str:
    """Return what writes a word into its box, and a space behind it, which may stand outside.

    Lines end with one, too: viewers run boxes of one row together. From right to left, the glyphs
    are mirrored, so that their order stays the one of reading.
    """
    start, along, up = _frame(word.corners)
    if _runs_leftward(word.text):
        start, along = start + along, -along
    text = f"{word.text} " if word.spaced else word.text
    return f"{_numbers(along / len(word.text), up, start)} Tm {font.encode(text)} Tj"


def _runs_leftward(text: str) -> bool:
    """Whether all of it runs from right to left; numbers never do (UAX #9)."""
    kinds = set(map(bidirectional, text))
    return bool(kinds & {"R", "AL"}) and not kinds & {"L", "EN", "AN"}


def _frame(corners: Corners) -> tuple[complex, complex, complex]:
    """Return where a box begins on its base, the way along it and the way up, in pixels.

    Of any other quadrilateral it is the parallelogram with the same middles of its sides. What has
    no area is drawn a pixel high, or it could not be selected.
    """
    first, second, third, fourth = corners
    along = (second - first + third - fourth) / 2
    up = (first - fourth + second - third) / 2
    if abs((along.conjugate() * up).imag) < 1:
        along = along if abs(along) > 1 else 1 + 0j
        up = -1j * along / abs(along)
    return sum(corners) / 4 - along / 2 - up / 2, along, up


def _numbers(*places: complex) -> str:
    return " ".join(f"{place.real:.3f} {place.imag:.3f}" for place in places)
