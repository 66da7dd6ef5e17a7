"""What both galleries show: readings with their errors marked, and images within the file."""

import base64
from collections.abc import Callable
from dataclasses import dataclass

import cv2
from rapidfuzz.distance import Levenshtein

from ocr.image.pixels import Image, encode_png

_MAX_WIDTH_PX, _MAX_HEIGHT_PX = 640, 160


@dataclass(frozen=True)
class Segment:
    """A stretch of a reading; its kind is ``same``, ``wrong`` (also invented) or ``missed``."""

    kind: str
    text: str


def mark_differences(
    prediction: str, reference: str, *, fold: Callable[[str], str] = str
) -> list[Segment]:
    """Cut a reading into stretches that are same, wrong or missed.

    Args:
        prediction: What was read.
        reference: What is labelled.
        fold: Takes away what does not count, character by character.
    """
    segments = []
    for edit in Levenshtein.opcodes(fold(reference), fold(prediction)):
        if edit.tag == "delete":
            segments.append(Segment("missed", reference[edit.src_start : edit.src_end]))
        else:
            kind = "same" if edit.tag == "equal" else "wrong"
            segments.append(Segment(kind, prediction[edit.dest_start : edit.dest_end]))
    return segments


def to_address(data: bytes, *, kind: str = "png") -> str:
    """Return the bytes of an encoded image as a data: address."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"


def draw_line(image: Image) -> str:
    """Return an image as a data: address, shrunk when it is larger than a line in a report."""
    height_px, width_px = image.shape[:2]
    scale = min(1.0, _MAX_WIDTH_PX / width_px, _MAX_HEIGHT_PX / height_px)
    if scale < 1:
        size = (max(1, round(width_px * scale)), max(1, round(height_px * scale)))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(image.dtype)
    return to_address(encode_png(image))
