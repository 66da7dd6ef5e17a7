"""Files of some kilobytes that ask for minutes or gigabytes, one kind a function."""

import io
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import PIL.Image

from tests.ocr.image.documents import make_pdf
from tests.ocr.image.pictures import jpeg_of_scans

MEBIBYTE = 2**20
GREY = np.full((64, 64, 3), 200, np.uint8)


def png_of_chunks(count: int) -> bytes:
    """A small PNG with so many empty chunks before its pixels."""
    return _png([_chunk(b"vpAg", b"")] * count)


def png_of_texts(count: int, *, inflated: int) -> bytes:
    """A small PNG with so many compressed texts."""
    text = b"Comment\0\0" + zlib.compress(b" " * inflated, 9)
    return _png([_chunk(b"zTXt", text)] * count)


def png_of_profile(inflated: int) -> bytes:
    """A small PNG whose colour profile inflates."""
    return _png([_chunk(b"iCCP", b"icc\0\0" + zlib.compress(b"\0" * inflated, 9))])


def transparent_png(side_px: int) -> bytes:
    file = io.BytesIO()
    PIL.Image.new("RGBA", (side_px, side_px), (9, 9, 9, 99)).save(file, "PNG")
    return file.getvalue()


def animated_webp(frames: int) -> bytes:
    pictures = [PIL.Image.new("RGB", (64, 64), (n % 256, n // 256, 0)) for n in range(frames)]
    file = io.BytesIO()
    pictures[0].save(file, "WEBP", save_all=True, append_images=pictures[1:], lossless=True)
    return file.getvalue()


def webp_that_says(width: int, height: int) -> bytes:
    """A lossless WebP of a few bytes that says how large it is (at most 16,384 a side)."""
    bits = (width - 1) | (height - 1) << 14
    body = b"VP8L" + struct.pack("<I", 8) + b"\x2f" + struct.pack("<I", bits) + b"\0\0\0"
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def tiff_of_tags(count: int, *, shared: int) -> bytes:
    """A TIFF with so many tags that all hold the same bytes of the file."""
    tags = [(256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (262, 3, 1, 1), (277, 3, 1, 1)]
    tags += [(60_000 + index % 5000, 7, shared, 8) for index in range(count)]
    return b"II*\0" + struct.pack("<I", 8 + shared) + b"\0" * shared + _directory(tags)


def tiff_of_directories(count: int) -> bytes:
    """A TIFF of so many pages, all of the same few pixels."""
    tags = [(256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
    tags += [(273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 8), (279, 4, 1, 64)]
    page = _directory(tags)[:-4]
    start, step = 8 + 64, len(page) + 4
    following = [*range(start + step, start + step * count, step), 0]
    pages = b"".join(page + struct.pack("<I", offset) for offset in following)
    return b"II*\0" + struct.pack("<I", start) + bytes(64) + pages


def tiff_with_jpeg(scans: int, *, strips: int) -> bytes:
    """A TIFF whose strips are all the same progressive JPEG."""
    jpeg = jpeg_of_scans(scans)
    width, height = PIL.Image.open(io.BytesIO(jpeg)).size
    offsets = 8 + len(jpeg)
    lists = struct.pack(f"<{strips}I", *[8] * strips)
    lists += struct.pack(f"<{strips}I", *[len(jpeg)] * strips) + struct.pack("<HHHH", 8, 8, 8, 0)
    bits = offsets + 8 * strips
    tags = [(256, 4, 1, width), (257, 4, 1, height * strips), (258, 3, 3, bits), (259, 3, 1, 7)]
    tags += [(262, 3, 1, 6), (273, 4, strips, offsets), (277, 3, 1, 3), (278, 4, 1, height)]
    tags += [(279, 4, strips, offsets + 4 * strips)]
    start = offsets + len(lists)
    return b"II*\0" + struct.pack("<I", start) + jpeg + lists + _directory(tags)


def tiff_of_one_strip(inflated: int) -> bytes:
    """A small TIFF whose one strip inflates to more than its pixels."""
    strip = zlib.compress(b"\0" * inflated, 9)
    tags = [(256, 4, 1, 1000), (257, 4, 1, 1000), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1)]
    tags += [(273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, 1000), (279, 4, 1, len(strip))]
    return b"II*\0" + struct.pack("<I", 8 + len(strip)) + strip + _directory(tags)


def pdf_that_inflates(size: int) -> bytes:
    """A PDF whose drawing is so many bytes of strokes, compressed."""
    stroke = b"0 0 m 9 9 l S\n"
    drawing = _stream(stroke * (size // len(stroke)))
    return make_pdf(page="/Contents 5 0 R", extra=[drawing])


def pdf_of_loops() -> bytes:
    """A PDF whose tree of pages holds itself."""
    whole = make_pdf(pages=1)
    return whole.replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


def pdf_with_image(side_px: int) -> bytes:
    """A PDF with one image of one colour, compressed."""
    packer = zlib.compressobj(9)
    row = b"\x7f" * side_px * 3
    packed = b"".join(packer.compress(row) for _ in range(side_px)) + packer.flush()
    size = f"/Width {side_px} /Height {side_px} /ColorSpace /DeviceRGB /BitsPerComponent 8"
    image = _stream(packed, f"/Type /XObject /Subtype /Image {size}", is_packed=True)
    page = "/Resources << /XObject << /I 5 0 R >> >>"
    return make_pdf(drawing="500 0 0 500 0 0 cm /I Do", page=page, extra=[image])


def pdf_of_forms(depth: int, *, fan: int) -> bytes:
    """A PDF whose form draws another so often, which draws another so often, ..."""
    forms = []
    for level in range(depth):
        inner = f"/Resources << /XObject << /F {6 + level} 0 R >> >>"
        drawing = b"/F Do\n" * fan if level + 1 < depth else b"0 0 m 9 9 l S\n"
        kind = f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] {inner}"
        forms.append(_stream(drawing, kind))
    page = "/Resources << /XObject << /F 5 0 R >> >>"
    return make_pdf(drawing="/F Do", page=page, extra=forms)


def pdf_of_pattern() -> bytes:
    """A PDF that fills a page with tiles much smaller than a pixel, over and over."""
    pattern = (
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] "
        "/XStep 0.001 /YStep 0.001 /Resources << >>"
    )
    tile = _stream(b"0 0 m 9 9 l S\n" * 500, pattern)
    page = "/Resources << /Pattern << /P 5 0 R >> >>"
    drawing = "/Pattern cs /P scn 0 0 600 800 re f\n" * 1000
    return make_pdf(drawing=drawing, page=page, extra=[tile])


def pdf_of_glyphs(count: int) -> bytes:
    """A PDF with a font whose one glyph is drawn with so many strokes, shown very often."""
    font = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] "
        "/CharProcs << /a 6 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> "
        "/FirstChar 97 /LastChar 97 /Widths [1] /Resources << >> >>"
    )
    glyph = _stream(b"1 0 d0\n" + b"0 0 m 9 9 l S\n" * 20_000)
    page = "/Resources << /Font << /T 5 0 R >> >>"
    text = "BT /T 9 Tf 9 9 Td (" + "a" * count + ") Tj ET"
    return make_pdf(drawing=text, page=page, extra=[font, glyph])


def pdf_with_jpeg(scans: int) -> bytes:
    """A PDF with one progressive JPEG."""
    jpeg = jpeg_of_scans(scans)
    width, height = PIL.Image.open(io.BytesIO(jpeg)).size
    kind = (
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} "
        "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode"
    )
    image = f"<< {kind} /Length {len(jpeg)} >>\nstream\n{jpeg.decode('latin-1')}\nendstream"
    page = "/Resources << /XObject << /I 5 0 R >> >>"
    return make_pdf(drawing="500 0 0 500 0 0 cm /I Do", page=page, extra=[image])


def _png(chunks: Sequence[bytes]) -> bytes:
    file = io.BytesIO()
    PIL.Image.fromarray(GREY).save(file, "PNG")
    whole = file.getvalue()
    return whole[:33] + b"".join(chunks) + whole[33:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def _directory(tags: Sequence[tuple[int, int, int, int]]) -> bytes:
    packed = b"".join(struct.pack("<HHII", *tag) for tag in sorted(tags))
    return struct.pack("<H", len(tags)) + packed + b"\0\0\0\0"


def _stream(content: bytes, kind: str = "", *, is_packed: bool = False) -> str:
    packed = content if is_packed else zlib.compress(content, 9)
    head = f"<< {kind} /Filter /FlateDecode /Length {len(packed)} >>"
    return f"{head}\nstream\n{packed.decode('latin-1')}\nendstream"
