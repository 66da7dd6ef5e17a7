"""A font without ink: text written in it is found and selected, but not seen."""

import functools
import io
from typing import Any, Final

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from serving.rest.documents.pdf_file import PdfFile

MOST_CODES: Final = 0xFFFF
"""A code has two bytes, and 0 is none."""

_NAME: Final = "GlyphLessFont"  # OCRmyPDF takes text in a font of this name for text of an OCR
_EM: Final = 1000
_MOST_MAPPED: Final = 100
"""Entries of one section of a CMap (Adobe Technical Note 5014)."""

_CMAP: Final = """\
/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0001> <FFFF>
endcodespacerange
{sections}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""


class GlyphlessFont:
    """One font of a PDF, whose every character is a blank square of 1 em that stands on its line.

    Characters get codes as they come, and /ToUnicode says which; so there is nothing that it cannot
    write, be it beyond the Basic Multilingual Plane.
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def encode(self, text: str) -> str:
        """Return a text without lone surrogates as a string of PDF.

        What comes after `MOST_CODES` - 1 other characters is written as U+FFFD.
        """
        return f"<{''.join(f'{self._code(character):04X}' for character in text)}>"

    def add_to(self, pdf: PdfFile) -> str:
        """Add it with what was encoded until now; return the reference (ISO 32000-1, 9.7)."""
        blanks = b"\0\1" * (len(self._codes) + 1)
        cid_font = pdf.add(
            Type="/Font",
            Subtype="/CIDFontType2",
            BaseFont=f"/{_NAME}",
            CIDSystemInfo={"Registry": "(Adobe)", "Ordering": "(Identity)", "Supplement": 0},
            DW=_EM,
            CIDToGIDMap=pdf.add_stream(blanks),
            FontDescriptor=_add_descriptor(pdf),
        )
        return pdf.add(
            Type="/Font",
            Subtype="/Type0",
            BaseFont=f"/{_NAME}",
            Encoding="/Identity-H",
            DescendantFonts=[cid_font],
            ToUnicode=pdf.add_stream(self._to_unicode().encode()),
        )

    def _code(self, character: str) -> int:
        if len(self._codes) >= MOST_CODES - 1 and character not in self._codes:
            character = "\N{REPLACEMENT CHARACTER}"
        return self._codes.setdefault(character, len(self._codes) + 1)

    def _to_unicode(self) -> str:
        entries = [
            f"<{code:04X}> <{character.encode('utf-16-be').hex().upper()}>"
            for character, code in self._codes.items()
        ]
        sections = (
            entries[start : start + _MOST_MAPPED] for start in range(0, len(entries), _MOST_MAPPED)
        )
        return _CMAP.format(sections="\n".join(map(_section, sections)))


def _section(entries: list[str]) -> str:
    return "\n".join((f"{len(entries)} beginbfchar", *entries, "endbfchar"))


def _add_descriptor(pdf: PdfFile) -> str:
    true_type = _true_type()
    return pdf.add(
        Type="/FontDescriptor",
        FontName=f"/{_NAME}",
        Flags=4,  # characters beyond Latin
        FontBBox=[0, 0, _EM, _EM],
        ItalicAngle=0,
        Ascent=_EM,
        Descent=0,
        CapHeight=_EM,
        StemV=0,
        FontFile2=pdf.add_stream(true_type, Length1=len(true_type)),
    )


@functools.cache
def _true_type() -> bytes:
    """Return the tables that a PDF asks of a font (ISO 32000-1, 9.9); glyph 1 is the blank."""
    glyphs = (".notdef", "blank")
    font = FontBuilder(_EM)
    font.setupGlyphOrder(list(glyphs))
    font.setupGlyf(dict.fromkeys(glyphs, _diagonal()))
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (_EM, 0)))
    font.setupHorizontalHeader(ascent=_EM, descent=0)
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def _diagonal() -> Any:
    """Return a glyph without area; PDFium takes the box round it for the place of a character."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((_EM, _EM))
    pen.closePath()
    return pen.glyph()
