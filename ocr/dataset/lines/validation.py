"""What an accepted text looks like."""

import unicodedata

from ocr.dataset.labels.encoding import ILLEGIBLE
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.quarantine import Fault
from ocr.models.charset import Charset

_CONTROL_CATEGORIES = ("Cc", "Cs", "Cn", "Zl", "Zp")
_SPACE_ADVICE = "; add a line with one space to it, which PaddleOCR's use_space_char stands for"
# Format characters that show nothing; joiners, which some scripts need, are not among them.
_INVISIBLE = frozenset("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e")


def find_text_fault(text: str, *, limits: LineLimits, charset: Charset | None) -> Fault | None:
    """Find what is wrong with a text; None when nothing is.

    Args:
        text: Stripped of surrounding white space.
        limits: The longest text, and whether marks of illegible text are learnt.
        charset: The only characters allowed; None: any.
    """
    if not text:
        return Fault("empty_text", "no text")
    if text in ILLEGIBLE and not limits.allow_illegible:
        detail = f"{text!r} marks a text that nobody could read; limits.allow_illegible learns it"
        return Fault("illegible", detail)
    if len(text) > limits.max_text_length:
        return Fault(
            "text_too_long", f"{len(text)} characters, allowed are {limits.max_text_length}"
        )
    if not text.isprintable() and (hidden := _hidden_characters(text)):
        return Fault("control_character", f"holds {' '.join(hidden)}")
    if charset is not None and (unknown := charset.unknown(text)):
        detail = f"{''.join(unknown)!r} is not in the charset"
        return Fault("unknown_character", detail + (_SPACE_ADVICE if " " in unknown else ""))
    return None


def _hidden_characters(text: str) -> list[str]:
    return [
        f"U+{ord(character):04X}"
        for character in text
        if character in _INVISIBLE or unicodedata.category(character) in _CONTROL_CATEGORIES
    ]
