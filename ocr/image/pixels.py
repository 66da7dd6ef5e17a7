"""Images: encoded bytes to BGR pixels and back."""

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NoReturn

import cv2
import numpy as np
import PIL.Image
import PIL.ImageOps
import PIL.TiffImagePlugin
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.bgr import is_wide_grey, narrow, to_bgr
from ocr.image.header import (
    JPEG_MAGIC,
    MAX_JPEG_SCANS,
    PNG_MAGIC,
    TIFF_MAGICS,
    ImageHeader,
    describe_unknown,
    find_bmp_excess,
    find_pnm_excess,
    find_tiff_excess,
    read_jpeg_header,
    read_png_header,
    read_webp_size,
)
from ocr.image.pnm import PnmDecoder

PIL.Image.register_decoder("ppm", PnmDecoder)

Image = NDArray[np.uint8]
"""Pixels (H, W, 3), BGR."""

GreyImage = NDArray[np.uint8]
"""Brightness of pixels (H, W)."""

MAX_SIDE_PX = 32_000
"""OpenCV's warps take sides below 32,767; a line may lie across the diagonal."""

TILE_EXCESS = 4
"""Tiles of a TIFF may hold so many times the pixels that a picture may."""

JPEG_QUALITY = 95
_TILE_SIZE = (PIL.TiffImagePlugin.TILEWIDTH, PIL.TiffImagePlugin.TILELENGTH)
_FROM_PILLOW = (  # its readers let through whatever a damaged file makes them trip over
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
)
_BYTES_OF_JPEG = 12
"""A pixel: libjpeg may keep up to four channels, two bytes of each, beside the image."""
_BYTES_OF_WEBP = 16
"""A pixel: libwebp keeps two canvases and what it decodes, Pillow the image."""
_MOST_BLACK = 3
"""Of 255: so much white of a grey image of 16 or 32 bits is that of another scale."""
_OTHER_FORMATS = ("BMP", "GIF", "PPM", "TIFF", "WEBP")


ImageFault = Literal[
    "outside_root", "missing_image", "unreadable_image", "truncated_image", "decompression_bomb"
]


class BadImage(BadData):
    """An image that cannot be used; `reason` says why in one word."""

    def __init__(self, reason: ImageFault, message: str) -> None:
        super().__init__(message)
        self.reason: ImageFault = reason


def decode_image(data: bytes, *, max_pixels: int, frame: int = 0) -> Image:
    """Decode JPEG, PNG, WebP, BMP, TIFF, GIF or PPM to BGR.

    16 bits become 8, grey and palette become colour, transparency is laid over white, CMYK is
    converted, EXIF orientation is applied, and of an animation the first frame is taken.

    Args:
        data: The encoded image.
        max_pixels: Largest accepted width times height; like a side of more than `MAX_SIDE_PX`,
            it is checked before any pixel is decoded.
        frame: Which image of a TIFF, see `count_frames`.

    Raises:
        BadImage: With the reason unreadable_image, truncated_image or decompression_bomb.
        MemoryError: Which says nothing of the image.
    """
    if data.startswith(JPEG_MAGIC):
        header = _check(data, read_jpeg_header(data), max_pixels=max_pixels)
        return _decode_with_opencv(data, header, cv2.IMREAD_COLOR)
    if data.startswith(PNG_MAGIC):
        header = _check(data, read_png_header(data), max_pixels=max_pixels)
        if not header.has_alpha:  # OpenCV keeps it only where it leaves out the EXIF orientation
            return _decode_with_opencv(data, header, cv2.IMREAD_COLOR)
    return _decode_other(data, max_pixels=max_pixels, frame=frame)


def declared_pixels(data: bytes) -> int:
    """Return how many pixels an image says it has, sound or not; 0 where it says nothing."""
    header = None
    if data.startswith(JPEG_MAGIC):
        header = read_jpeg_header(data)
    elif data.startswith(PNG_MAGIC):
        header = read_png_header(data)
    if header is not None:
        return header.width * header.height
    try:
        with _opened(data, formats=_OTHER_FORMATS) as opened:
            return opened.width * opened.height
    except BadImage:
        return 0


def decode_grey(data: bytes, *, max_pixels: int) -> GreyImage:
    """Decode the brightness alone, as `decode_image` does else; a JPEG's costs a fifth less.

    What cannot be decoded in colour is refused: of a JPEG whose channels are sampled 2:3 or 3:4
    the brightness could be.
    """
    if data.startswith(JPEG_MAGIC):
        header = _check(data, read_jpeg_header(data), max_pixels=max_pixels)
        if header.is_usual:
            return _decode_with_opencv(data, header, cv2.IMREAD_GRAYSCALE)
    return to_grey(decode_image(data, max_pixels=max_pixels))


def to_grey(image: Image) -> GreyImage:
    """Brightness of an image."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def count_frames(data: bytes, *, at_most: int, counts_damaged: bool = False) -> int:
    """Count the images of a TIFF up to `at_most`; anything else is one image.

    Args:
        data: The file.
        at_most: Where to end.
        counts_damaged: Whether to end with the first damaged one instead of raising.

    Raises:
        BadImage: With the reason unreadable_image or truncated_image.
    """
    if data[:4] not in TIFF_MAGICS:
        return 1
    with _opened(data, formats=("TIFF",)) as opened:
        count = 1
        try:
            while count < at_most and _has_frame(opened, count):
                count += 1
        except _FROM_PILLOW:
            if not counts_damaged:
                raise
            count += 1
    return count


def encode_jpeg(image: Image) -> bytes:
    """Encode to JPEG of quality 95; the same pixels give the same bytes."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()


def encode_png(image: Image) -> bytes:
    """Encode to PNG; the same pixels give the same bytes."""
    return cv2.imencode(".png", image)[1].tobytes()


def _check(data: bytes, header: ImageHeader | None, *, max_pixels: int) -> ImageHeader:
    if header is None or not header.width or not header.height:
        _refuse("unreadable_image", f"not an image: {len(data)} bytes without a sound header")
    _check_pixels(header.width, header.height, max_pixels=max_pixels)
    if header.scans > MAX_JPEG_SCANS:
        _refuse("decompression_bomb", f"a JPEG of more than {MAX_JPEG_SCANS} scans")
    if header.excess:
        _refuse("decompression_bomb", header.excess)
    if not header.is_complete:
        _refuse("truncated_image", f"truncated: the end is missing after {len(data)} bytes")
    if not header.is_sound:
        _refuse("unreadable_image", "damaged: a checksum does not hold")
    return header


def _decode_with_opencv(data: bytes, header: ImageHeader, flags: int) -> NDArray[np.uint8]:
    try:
        image: NDArray[np.uint8] | None = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        if error.code == cv2.Error.StsNoMem:
            raise MemoryError(error.err) from error
        _refuse("unreadable_image", f"not decodable: {error.err}")
    if image is None:
        if data.startswith(JPEG_MAGIC):
            _ask_for_memory(header.width * header.height * _BYTES_OF_JPEG)
        _refuse("unreadable_image", f"not decodable: {len(data)} bytes")
    return image


def _ask_for_memory(count: int) -> None:
    """Raise MemoryError where so many bytes are not to be had, which few libraries tell."""
    np.empty(count, np.uint8)


def _decode_other(data: bytes, *, max_pixels: int, frame: int) -> Image:
    width, height = read_webp_size(data)
    _check_pixels(width, height, max_pixels=max_pixels)
    try:
        return _decode_with_pillow(data, max_pixels=max_pixels, frame=frame)
    except BadImage:
        _ask_for_memory(width * height * _BYTES_OF_WEBP)
        raise


def _decode_with_pillow(data: bytes, *, max_pixels: int, frame: int) -> Image:
    formats = None if data.startswith(PNG_MAGIC) else _OTHER_FORMATS
    with _opened(data, formats=formats) as opened:
        opened.seek(frame)
        _check_pixels(*opened.size, max_pixels=max_pixels)
        _check_tiles(opened, max_pixels=max_pixels)
        PIL.ImageOps.exif_transpose(opened, in_place=True)
        _check_white(opened)
        return to_bgr(opened)


def _check_white(opened: PIL.Image.Image) -> None:
    """Refuse a grey image of 16 or 32 bits that would come out black, though it is not."""
    if not is_wide_grey(opened.mode):
        return
    levels = np.array(opened.getextrema(), np.float64)
    darkest, brightest = levels.tolist()
    if darkest < brightest and narrow(levels, opened.mode).max() <= _MOST_BLACK:
        message = f"16 or 32 bits a pixel, from {darkest:g} to {brightest:g}: save it with 8 bits"
        _refuse("unreadable_image", message)


def _check_tiles(opened: PIL.Image.Image, *, max_pixels: int) -> None:
    """Refuse a TIFF whose tiles hold far more than its picture: they are unpacked as a whole."""
    if not isinstance(opened, PIL.TiffImagePlugin.TiffImageFile):
        return
    width, height = (int(opened.tag_v2.get(tag, 0)) for tag in _TILE_SIZE)
    if width and height:
        across, down = -(-opened.width // width), -(-opened.height // height)
        _check_pixels(across * width, down * height, max_pixels=TILE_EXCESS * max_pixels)


@contextmanager
def _opened(data: bytes, *, formats: tuple[str, ...] | None) -> Iterator[PIL.Image.Image]:
    if excess := find_pnm_excess(data) or find_tiff_excess(data) or find_bmp_excess(data):
        _refuse("unreadable_image", excess)
    try:
        yield PIL.Image.open(io.BytesIO(data), formats=formats)
    except PIL.UnidentifiedImageError:
        _refuse("unreadable_image", describe_unknown(data))
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning) as error:
        _refuse("decompression_bomb", str(error))
    except BadImage:
        raise
    except _FROM_PILLOW as error:
        is_cut = "truncated" in str(error).lower() or isinstance(error, EOFError)
        said = getattr(error, "strerror", None) or error  # without a path of this machine
        _refuse("truncated_image" if is_cut else "unreadable_image", f"not decodable: {said}")


def _has_frame(opened: PIL.Image.Image, index: int) -> bool:
    try:
        opened.seek(index)
    except EOFError:
        return False
    return True


def _check_pixels(width: int, height: int, *, max_pixels: int) -> None:
    if width * height > max_pixels:
        _refuse("decompression_bomb", f"{width}x{height} pixels, allowed are {max_pixels}")
    if max(width, height) > MAX_SIDE_PX:
        message = f"{width}x{height} pixels, allowed are {MAX_SIDE_PX} a side"
        _refuse("decompression_bomb", message)


def _refuse(reason: ImageFault, message: str) -> NoReturn:
    raise BadImage(reason, message)
