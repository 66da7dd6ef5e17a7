"""hOCR 1.2 (http://kba.github.io/hocr-spec/1.2/): the lines of a document in XHTML."""

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from serving.rest.documents.placed_text import Corners, PlacedLine, place_lines, writable

LEAST_SLOPE: Final = 0.001
"""Of a baseline that is written down: a line of 1000 px rises by one."""

_PROLOGUE: Final = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
_CAPABILITIES: Final = "ocr_page ocr_line ocrx_word ocrp_wconf"

_Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""


def write_hocr(pages: Sequence[Mapping[str, Any]], *, title: str, model: str) -> str:
    """Return the hOCR of a document, to be encoded in UTF-8.

    A page is an `ocr_page`, a line an `ocr_line`, and a word, or a line whose words are not known,
    an `ocrx_word`. Pages keep the numbers that they have in the document.

    Args:
        pages: As `serving.rest.documents.placed_text.place_lines` takes them, with their number
            as `page`, and `width` and `height` in pixels.
        title: Of the document.
        model: What read it, name and version.
    """
    html = Element("html", {"xmlns": "http://www.w3.org/1999/xhtml"})
    _add_head(html, {"title": title, "model": model, "pages": str(len(pages))})
    body = _add(html, "body")
    for page in pages:
        _add_page(body, page)
    return f"{_PROLOGUE}{tostring(html, encoding='unicode', short_empty_elements=False)}\n"


def _add_head(html: Element, about: Mapping[str, str]) -> None:
    head = _add(html, "head")
    _add(head, "title").text = writable(about["title"])
    _add(head, "meta", {"charset": "utf-8"})
    metas = {
        "ocr-system": f"ocrline {writable(about['model'])}",
        "ocr-capabilities": _CAPABILITIES,
        "ocr-number-of-pages": about["pages"],
    }
    for name, content in metas.items():
        _add(head, "meta", {"name": name, "content": content})


def _add_page(body: Element, page: Mapping[str, Any]) -> None:
    number, size_px = page["page"], (page["width"], page["height"])
    title = f"bbox 0 0 {size_px[0]} {size_px[1]}; ppageno {number - 1}"
    element = _add(body, "div", _marks("ocr_page", f"{number}", title))
    for index, line in enumerate(place_lines(page), start=1):
        _add_line(element, line, name=f"{number}_{index}", size_px=size_px)


def _add_line(page: Element, line: PlacedLine, *, name: str, size_px: tuple[int, int]) -> None:
    box = _enclose(line.corners, size_px)
    title = "; ".join((_bbox(box), *_direction(line.corners, box)))
    element = _add(page, "span", _marks("ocr_line", name, title))
    for index, word in enumerate(line.words, start=1):
        title = f"{_bbox(_enclose(word.corners, size_px))}; x_wconf {round(100 * word.confidence)}"
        marks = _marks("ocrx_word", f"{name}_{index}", title)
        written = SubElement(element, "span", marks)
        written.text = word.text
        written.tail = " " if word.spaced else ""


def _add(parent: Element, tag: str, attributes: Mapping[str, str] | None = None) -> Element:
    """Add an element that stands on a row of its own."""
    element = SubElement(parent, tag, dict(attributes or {}))
    parent.text, element.tail = "\n", "\n"
    return element


def _marks(kind: str, name: str, title: str) -> dict[str, str]:
    return {"class": kind, "id": f"{kind.partition('_')[2]}_{name}", "title": title}


def _direction(corners: Corners, box: _Box) -> Iterator[str]:
    """Yield how a line is turned: by quarters, or by the slope of its base, as Tesseract does.

    The base is the lower edge of the polygon: where the letters stand is not known.
    """
    first, second, third, fourth = corners
    along, middle = second - first + third - fourth, (third + fourth) / 2
    quarters = round(-math.degrees(cmath.phase(along)) / 90) % 4
    slope = along.imag / along.real if along and not quarters else 0.0
    if quarters:
        yield f"textangle {90 * quarters}"
    elif abs(slope) >= LEAST_SLOPE:
        yield f"baseline {slope:.3f} {middle.imag - box[3] + slope * (box[0] - middle.real):.0f}"


def _enclose(corners: Corners, size_px: tuple[int, int]) -> _Box:
    """Return the whole pixels round corners, as far as they are on the page."""
    width_px, height_px = size_px
    across = [min(max(corner.real, 0), width_px) for corner in corners]
    down = [min(max(corner.imag, 0), height_px) for corner in corners]
    return (
        math.floor(min(across)),
        math.floor(min(down)),
        math.ceil(max(across)),
        math.ceil(max(down)),
    )


def _bbox(box: _Box) -> str:
    return "bbox {} {} {} {}".format(*box)
