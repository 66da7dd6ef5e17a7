"""What both galleries show: readings with their errors marked, and images within the file."""

import base64
from collections.abc import Callable
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


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
