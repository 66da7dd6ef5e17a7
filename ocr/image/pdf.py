"""PDF pages as images, drawn by PDFium (https://pdfium.googlesource.com/pdfium)."""

import ctypes
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, Literal

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ocr.errors import BadData
from ocr.image.header import PDF_MAGIC
from ocr.image.pixels import MAX_SIDE_PX, Image

MAGIC_WITHIN: Final = 1024  # bytes of anything may stand before it (ISO 32000-1, annex H)
PDF_DPI: Final = 200
POINTS_PER_INCH: Final = 72
DRAW_TIMEOUT_S: Final = 20.0

_LOOKED_AT: Final = 50
"""So many objects of a page may be its scan: a text layer, drawn before it, is one or none."""
_JPEG_FILTER: Final = b"DCTDecode"
_SCAN_SHARE: Final = 0.25
"""Of a page: a letterhead's logo has less, and the page is read without it."""

_ONE_AT_A_TIME = threading.RLock()  # PDFium is not thread-safe, whatever the document

DocumentFault = Literal[
    "unreadable", "encrypted", "too_large", "too_many_pages", "no_such_page", "too_slow"
]


class BadDocument(BadData):
    """A document that cannot be used; `reason` says why in one word."""

    def __init__(self, reason: DocumentFault, message: str) -> None:
        super().__init__(message)
        self.reason: DocumentFault = reason


def is_pdf(data: bytes) -> bool:
    """Whether the data says that it is a PDF."""
    return PDF_MAGIC in data[:MAGIC_WITHIN]


class Pdf:
    """An open PDF; a context manager that gives its memory back.

    Raises:
        BadDocument: With the reason unreadable or encrypted.
    """

    def __init__(self, data: bytes) -> None:
        with _pdfium("The PDF is damaged"):
            self._data = data  # PDFium reads it as it draws
            self._document = pdfium.PdfDocument(_load(data))
            self._document.init_forms()  # what was typed into a form is part of the page
            self.page_count = len(self._document)

    def __enter__(self) -> "Pdf":
        return self

    def __exit__(self, *_: object) -> None:
        with _ONE_AT_A_TIME:
            self._document.close()

    def draw(self, index: int, *, max_pixels: int, timeout_s: float = DRAW_TIMEOUT_S) -> Image:
        """Draw a page at 200 dpi, coarser where it would exceed `max_pixels` or `MAX_SIDE_PX`.

        Raises:
            BadDocument: With the reason unreadable or too_slow.
        """
        name = f"Page {index + 1} of the PDF"
        with _pdfium(f"{name} is damaged"):
            page = self._document[index]
            try:
                _check_scan(page, name)
                deadline = time.monotonic() + timeout_s
                return _draw(page, name, max_pixels=max_pixels, deadline=deadline)
            finally:
                page.close()


def _load(data: bytes) -> pdfium_c.FPDF_DOCUMENT:
    """Load a PDF, whether it has a page or none.

    pypdfium2 takes one of no page for one that failed, and asks why; PDFium then says why another
    failed before.
    """
    document = pdfium_c.FPDF_LoadMemDocument64(data, len(data), None)
    if document:
        return document
    code = pdfium_c.FPDF_GetLastError()
    if code == pdfium_c.FPDF_ERR_PASSWORD:
        raise BadDocument("encrypted", "The PDF is encrypted: send it without a password")
    raise BadDocument("unreadable", f"The PDF is damaged: {pdfium.internal.ErrorToStr[code]}")


def _check_scan(page: pdfium.PdfPage, name: str) -> None:
    """Refuse a page that is a JPEG of which no pixel can be decoded: PDFium draws it white."""
    area_pt = math.prod(page.get_size())
    for found in islice(page.get_objects(max_depth=1), _LOOKED_AT):
        if not isinstance(found, pdfium.PdfImage) or not _is_jpeg(found):
            continue
        left, bottom, right, top = found.get_bounds()
        is_scan = (right - left) * (top - bottom) > _SCAN_SHARE * area_pt
        if is_scan and not found.get_metadata().bits_per_pixel:
            raise BadDocument("unreadable", f"{name} is a picture that cannot be decoded")


def _is_jpeg(image: pdfium.PdfImage) -> bool:
    """Whether the last filter is a JPEG's; pypdfium2 would decode its name as UTF-8."""
    name = ctypes.create_string_buffer(len(_JPEG_FILTER) + 1)
    last = pdfium_c.FPDFImageObj_GetImageFilterCount(image) - 1
    pdfium_c.FPDFImageObj_GetImageFilter(image, last, name, len(name))
    return name.value == _JPEG_FILTER


def _draw(page: pdfium.PdfPage, name: str, *, max_pixels: int, deadline: float) -> Image:
    width_px, height_px = size_in_pixels(*page.get_size(), max_pixels=max_pixels, name=name)
    bitmap = pdfium.PdfBitmap.new_native(width_px, height_px, pdfium_c.FPDFBitmap_BGR)
    try:
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width_px, height_px)
        target = (bitmap, page, 0, 0, width_px, height_px, 0, pdfium_c.FPDF_ANNOT)
        _draw_until(deadline, target, page, name)
        if page.formenv:
            pdfium_c.FPDF_FFLDraw(page.formenv, *target)
        return np.array(bitmap.to_numpy())  # a copy: the bitmap's memory is PDFium's
    finally:
        bitmap.close()


def _draw_until(
    deadline: float, target: tuple[object, ...], page: pdfium.PdfPage, name: str
) -> None:
    """Draw step by step, so that a page made to take hours takes seconds."""
    pause = pdfium_c.IFSDK_PAUSE(version=1)
    pdfium.internal.set_callback(pause, "NeedToPauseNow", lambda _: time.monotonic() > deadline)
    try:
        state = pdfium_c.FPDF_RenderPageBitmap_Start(*target, pause)
    finally:
        pdfium_c.FPDF_RenderPage_Close(page)
    if state == pdfium_c.FPDF_RENDER_TOBECONTINUED:
        raise BadDocument("too_slow", f"{name} takes too long to draw")
    if state != pdfium_c.FPDF_RENDER_DONE:
        raise BadDocument("unreadable", f"{name} cannot be drawn")


def size_in_pixels(
    width_pt: float, height_pt: float, *, max_pixels: int, name: str
) -> tuple[int, int]:
    """Size of a page at 200 dpi, or at what `max_pixels` and `MAX_SIDE_PX` allow.

    Raises:
        BadDocument: The page has no size.
    """
    area_pt = width_pt * height_pt
    if not (math.isfinite(area_pt) and width_pt > 0 and height_pt > 0):
        raise BadDocument("unreadable", f"{name} is {width_pt:g} x {height_pt:g} points")
    longest = MAX_SIDE_PX / max(width_pt, height_pt)
    scale = min(PDF_DPI / POINTS_PER_INCH, math.sqrt(max_pixels / area_pt), longest)
    width_px = min(max(1, round(width_pt * scale)), max_pixels)
    height_px = min(max(1, round(height_pt * scale)), max_pixels // width_px)
    return width_px, max(1, height_px)


@contextmanager
def _pdfium(what: str) -> Iterator[None]:
    with _ONE_AT_A_TIME:
        try:
            yield
        except pdfium.PdfiumError as error:
            raise BadDocument("unreadable", f"{what}: {error}") from None
