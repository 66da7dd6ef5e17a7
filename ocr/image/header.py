"""What an encoded image says about itself, read without decoding a pixel."""

import re
import struct
import zlib
from typing import NamedTuple

IMAGE_SUFFIXES = (
    ".bmp",
    ".gif",
    ".jfif",
    ".jpeg",
    ".jpg",
    ".png",
    ".ppm",
    ".tif",
    ".tiff",
    ".webp",
)
"""Suffixes of the files that `ocr.image.pixels` reads."""
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
JPEG_MAGIC = b"\xff\xd8\xff"
TIFF_MAGICS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
PDF_MAGIC = b"%PDF-"
_PNG_ALPHA_COLOURS = (4, 6)
_PNG_MOST_CHUNKS = 10_000
_PNG_MOST_INFLATED = 16 << 20
"""Bytes of all texts and profiles. A text of 8 kB inflates to 8 MB in libpng, a thousand times."""
_PNG_PACKED = (b"iCCP", b"iTXt", b"zTXt")
_ZLIB_MOST = 1032
"""So many times larger than itself is at most what zlib inflates."""
MAX_JPEG_SCANS = 100
"""A progressive JPEG has about ten. Each decodes the whole image again, however few bytes it is."""
_JPEG_MOST_MARKERS = 10_000
_JPEG_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd7\xff])")
"""Neither a byte of pixels, nor a restart between them, nor a fill byte: what has a length."""
_JPEG_MARKED = frozenset(range(256)) - {0x00, 0x01, *range(0xD0, 0xD8), 0xFF}
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PNM_MOST_HEADER = 1 << 16
_PNM_TOKEN = rb"(?:\s|#[^\r\n]*+[\r\n])++\d{1,10}+"
_PNM_HEADER = re.compile(rb"P(?:[14](?:%b){2}|[2356](?:%b){3})\s" % (_PNM_TOKEN, _PNM_TOKEN))
_PNM_KINDS = (b"1", b"2", b"3", b"4", b"5", b"6")
_PNM_PLAIN = (b"P1", b"P2", b"P3")
_PNM_DIGITS = (b"P2", b"P3")
_PNM_MOST_COMMENTS = 100
_PNM_MOST_PLAIN = 10_000_000
"""Bytes of levels in digits, .16 s a MB at most: of a page of 1240x1754 in grey at most 8.7 MB."""
_BMP_MOST_PACKED = 5_000_000
"""Bytes, .2 s a MB at most, beside some 1.2 s for 20 million pixels."""
_BMP_PACKED = (1, 2)
_BMP_SHORT_HEADER = 12
_TIFF_PARTS = (273, 279, 324, 325)
"""Tags: where strips and tiles are, and how long."""
_TIFF_MOST_PARTS = 50_000
_TIFF_MOST_TAGS = 50_000
"""Of all its images together: two thousand pages of 25."""
_WEBP_HEADER = 30
_PHONE_FORMATS = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"), "HEIC"),
    **dict.fromkeys((b"mif1", b"msf1"), "HEIF"),
    **dict.fromkeys((b"avif", b"avis"), "AVIF"),
}
"""By the major brand of a file of ISO 23008-12."""
_JPEG_USUAL_FACTORS = b"\x11\x12\x21\x22"
"""Of 1 and 2 across and down: each is a multiple of every smaller one."""
_JPEG_FILL, _JPEG_FIRST_SEGMENT, _JPEG_END, _JPEG_SCAN = 0xFF, 0xC0, 0xD9, 0xDA


class ImageHeader(NamedTuple):
    """Size and state of an encoded image.

    Attributes:
        width: In pixels, before any EXIF rotation.
        height: In pixels, before any EXIF rotation.
        has_alpha: Whether pixels may be transparent.
        is_complete: Whether the end of the image is there.
        is_sound: Whether its checksums hold (always, where it has none).
        scans: How often the whole image is gone through; beyond `MAX_JPEG_SCANS` none is counted.
        excess: What of it is more than any camera or program writes; empty when nothing is.
        is_usual: Whether a JPEG's channels have all, half or a quarter of its pixels; others may be
            decodable without their colours only.
    """

    width: int
    height: int
    has_alpha: bool
    is_complete: bool
    is_sound: bool
    scans: int = 1
    excess: str = ""
    is_usual: bool = True


def image_suffix(data: bytes) -> str:
    """File suffix of an encoded image, by its first bytes."""
    if data.startswith(JPEG_MAGIC):
        return ".jpg"
    if data.startswith(PNG_MAGIC):
        return ".png"
    suffixes = {b"BM": ".bmp", b"GI": ".gif", b"RI": ".webp", b"II": ".tif", b"MM": ".tif"}
    return suffixes.get(data[:2], ".ppm")


def read_webp_size(data: bytes) -> tuple[int, int]:
    """Return the width and height that a WebP says it has; 0 and 0: it is none, or says nothing."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < _WEBP_HEADER:
        return 0, 0
    if data[12:16] == b"VP8X":
        sides = (int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
        return next(sides) + 1, next(sides) + 1
    if data[12:16] == b"VP8L":
        both = int.from_bytes(data[21:25], "little")
        return (both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def describe_unknown(data: bytes) -> str:
    """Say what it is that begins as no image does, and what to do with it."""
    if not data:
        return "empty: 0 bytes"
    if data.startswith(PDF_MAGIC):
        return "a PDF, not an image; it is read as a document"
    if kind := _PHONE_FORMATS.get(data[8:12] if data[4:8] == b"ftyp" else b""):
        return f"a picture in {kind}; export it as JPEG"
    return f"not an image: {len(data)} bytes of an unknown format"


def find_pnm_excess(data: bytes) -> str:
    """Say what of a PPM, PGM or PBM no program writes; empty: nothing, or it is none of these.

    Pillow reads a header byte by byte, and copies what is left of a block at every comment.
    """
    if not data.startswith(b"P"):
        return ""
    if data[1:2] not in _PNM_KINDS:  # some of which Pillow knows
        return describe_unknown(data)
    header = _PNM_HEADER.match(data[:_PNM_MOST_HEADER])
    if header is None:
        return f"no header of a PPM, PGM or PBM within {_PNM_MOST_HEADER} bytes"
    if data.startswith(_PNM_PLAIN) and data.count(b"#", header.end()) > _PNM_MOST_COMMENTS:
        return f"more than {_PNM_MOST_COMMENTS} comments between the pixels"
    if data.startswith(_PNM_DIGITS) and len(data) > _PNM_MOST_PLAIN:
        return f"{len(data)} bytes of a plain PPM or PGM, allowed are {_PNM_MOST_PLAIN}; send PNG"
    return ""


def find_bmp_excess(data: bytes) -> str:
    """Say what of a BMP is too much to unpack, which Pillow does byte by byte; empty: nothing."""
    if not data.startswith(b"BM") or len(data) <= _BMP_MOST_PACKED:
        return ""
    size, packing = struct.unpack_from("<I12xI", data, 14)
    if size == _BMP_SHORT_HEADER or packing not in _BMP_PACKED:
        return ""
    return f"{len(data)} bytes of a BMP packed by RLE, allowed are {_BMP_MOST_PACKED}; send PNG"


def find_tiff_excess(data: bytes) -> str:
    """Say what of a TIFF no program writes; empty: nothing, or it is none.

    Pillow makes a list of all tiles or strips, and starts a decoder for each.
    """
    if not data.startswith(TIFF_MAGICS):
        return ""
    order = "<" if data.startswith(b"II") else ">"
    is_big = data[2:4] in (b"+\0", b"\0+")
    number, entry = ("Q", "HHQQ") if is_big else ("H", "HHII")
    link = "Q" if is_big else "I"
    try:
        (at,) = struct.unpack_from(f"{order}{link}", data, 8 if is_big else 4)
        tags = 0
        while at:
            (entries,) = struct.unpack_from(f"{order}{number}", data, at)
            at += struct.calcsize(f"={number}")
            tags += 1 + entries  # the images of a TIFF may go in a circle
            if tags > _TIFF_MOST_TAGS:
                return f"more than {_TIFF_MOST_TAGS} tags"
            size = struct.calcsize(f"={entry}")
            for place in range(at, at + size * entries, size):
                tag, _, count, _ = struct.unpack_from(f"{order}{entry}", data, place)
                if tag in _TIFF_PARTS and count > _TIFF_MOST_PARTS:
                    return f"{count} tiles or strips, allowed are {_TIFF_MOST_PARTS}"
            (at,) = struct.unpack_from(f"{order}{link}", data, at + size * entries)
    except struct.error:  # cut, or none: its decoder says so
        pass
    return ""


def read_png_header(data: bytes) -> ImageHeader | None:
    """Walk a PNG's chunks (ISO/IEC 15948) until its end or an excess; None when it is no PNG."""
    if len(data) < 33 or data[12:16] != b"IHDR":
        return None
    width, height, _, colour = struct.unpack_from(">IIBB", data, 16)
    has_alpha = colour in _PNG_ALPHA_COLOURS
    is_complete, is_sound, at = False, True, len(PNG_MAGIC)
    chunks, inflated, excess = 0, 0, ""
    while at + 12 <= len(data) and not is_complete and not excess:
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + size
        if end > len(data):
            break
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        is_sound = is_sound and zlib.crc32(data[at + 4 : end - 4]) == checksum
        has_alpha = has_alpha or kind == b"tRNS"
        is_complete = kind == b"IEND"
        chunks += 1
        if kind in _PNG_PACKED:
            inflated += _inflated_size(kind, data[at + 8 : end - 4])
        excess = _png_excess(chunks=chunks, inflated=inflated)
        at = end
    return ImageHeader(width, height, has_alpha, is_complete, is_sound, excess=excess)


def _png_excess(*, chunks: int, inflated: int) -> str:
    if chunks > _PNG_MOST_CHUNKS:
        return f"a PNG of more than {_PNG_MOST_CHUNKS} chunks"
    if inflated > _PNG_MOST_INFLATED:
        return f"a PNG with texts and profiles of more than {_PNG_MOST_INFLATED} bytes"
    return ""


def _inflated_size(kind: bytes, content: bytes) -> int:
    """Return how many bytes a text or profile inflates to, not counting far beyond the limit."""
    _, _, rest = content.partition(b"\0")
    packed = rest[1:]
    if kind == b"iTXt":
        packed = rest[2:].split(b"\0", 2)[-1] if rest[:1] == b"\1" else b""
    try:
        return len(zlib.decompressobj().decompress(packed, _PNG_MOST_INFLATED + 1))
    except zlib.error:  # damaged at some place: libpng has inflated it up to there
        return len(packed) * _ZLIB_MOST


def read_jpeg_header(data: bytes) -> ImageHeader | None:
    """Walk a JPEG's markers as libjpeg does (ITU T.81, annex B), until its end or too many scans.

    None when it has no size, or more markers than any camera or program writes.
    """
    width = height = scans = first_scan = 0
    is_usual = True
    at, size = 2, len(data)
    for _ in range(_JPEG_MOST_MARKERS):
        if at + 1 < size and data[at] == _JPEG_FILL and data[at + 1] in _JPEG_MARKED:
            code, at = data[at + 1], at + 2  # where one segment ends the next begins, as a rule
        else:
            found = _JPEG_MARKER.search(data, at)
            code, at = (found[1][0], found.end()) if found else (_JPEG_END, size)
        if code == _JPEG_END or scans > MAX_JPEG_SCANS:
            is_complete = scans > 0 and data.rfind(b"\xff\xd9", first_scan) >= 0
            header = ImageHeader(width, height, False, is_complete, True, scans, is_usual=is_usual)
            return header if width else None
        if code in _JPEG_FRAMES and not scans and at + 7 <= size:
            height, width = struct.unpack_from(">HH", data, at + 3)
            factors = data[at + 9 : at + 8 + 3 * data[at + 7] : 3] if at + 7 < size else b""
            is_usual = not factors.strip(_JPEG_USUAL_FACTORS)
        if code == _JPEG_SCAN:
            scans += 1
            first_scan = first_scan or at + int.from_bytes(data[at : at + 2])
        if code >= _JPEG_FIRST_SEGMENT and at + 1 < size:  # below is noise without a length
            at += (data[at] << 8) + data[at + 1]
    return None
