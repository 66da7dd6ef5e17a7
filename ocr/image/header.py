"""What an encoded image says about itself, read without decoding a pixel."""

import struct
import zlib
from typing import NamedTuple

IMAGE_SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp")
"""Suffixes of the files that `ocr.image.pixels` reads."""
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
JPEG_MAGIC = b"\xff\xd8\xff"
_PNG_ALPHA_COLOURS = (4, 6)
_JPEG_NO_FRAME = (0xC4, 0xC8, 0xCC)
_JPEG_START_OF_SCAN = 0xDA


class ImageHeader(NamedTuple):
    """Size and state of an encoded image.

    Attributes:
        width: In pixels, before any EXIF rotation.
        height: In pixels, before any EXIF rotation.
        has_alpha: Whether pixels may be transparent.
        is_complete: Whether the end of the image is there.
        is_sound: Whether its checksums hold (always, where it has none).
    """

    width: int
    height: int
    has_alpha: bool
    is_complete: bool
    is_sound: bool


def image_suffix(data: bytes) -> str:
    """File suffix of an encoded image, by its first bytes."""
    if data.startswith(JPEG_MAGIC):
        return ".jpg"
    if data.startswith(PNG_MAGIC):
        return ".png"
    suffixes = {b"BM": ".bmp", b"GI": ".gif", b"RI": ".webp", b"II": ".tif", b"MM": ".tif"}
    return suffixes.get(data[:2], ".ppm")


def read_png_header(data: bytes) -> ImageHeader | None:
    """Walk a PNG's chunks (ISO/IEC 15948); None when it is no PNG."""
    if len(data) < 33 or data[12:16] != b"IHDR":
        return None
    width, height, _, colour = struct.unpack_from(">IIBB", data, 16)
    has_alpha = colour in _PNG_ALPHA_COLOURS
    is_complete, is_sound, at = False, True, len(PNG_MAGIC)
    while at + 12 <= len(data) and not is_complete:
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + size
        if end > len(data):
            break
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        is_sound = is_sound and zlib.crc32(data[at + 4 : end - 4]) == checksum
        has_alpha = has_alpha or kind == b"tRNS"
        is_complete = kind == b"IEND"
        at = end
    return ImageHeader(width, height, has_alpha, is_complete, is_sound)


def read_jpeg_header(data: bytes) -> ImageHeader | None:
    """Walk a JPEG's markers up to the first scan (ITU T.81, annex B); None when there is none."""
    width = height = 0
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in _JPEG_NO_FRAME and at + 9 <= len(data):
            height, width = data[at + 5] << 8 | data[at + 6], data[at + 7] << 8 | data[at + 8]
        at += 2 + (data[at + 2] << 8 | data[at + 3])
        if marker == _JPEG_START_OF_SCAN:
            return ImageHeader(width, height, False, data.rfind(b"\xff\xd9", at) >= 0, True)
    return ImageHeader(width, height, False, False, True) if width else None
