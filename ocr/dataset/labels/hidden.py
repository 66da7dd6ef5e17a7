"""Characters of a text that show nothing, or stand for what was lost."""

import unicodedata

from ocr.dataset.quarantine import Fault

_CONTROL_CATEGORIES = ("Cc", "Cs", "Cn", "Zl", "Zp")
# Format characters that show nothing; joiners, which some scripts need, are not among them.
_INVISIBLE = frozenset("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e")
_LOST = "\ufffd"
"""What a program writes for bytes that it could not decode."""


def find_hidden(text: str) -> Fault | None:
    """Find what nobody can have read: control and invisible characters, halves, lost ones."""
    if _LOST in text:
        detail = f"holds U+{ord(_LOST):04X}: decoded wrongly by whatever wrote it, type it again"
        return Fault("control_character", detail)
    if text.isprintable():
        return None
    hidden = [
        f"U+{ord(character):04X}"
        for character in text
        if character in _INVISIBLE or unicodedata.category(character) in _CONTROL_CATEGORIES
    ]
    return Fault("control_character", f"holds {' '.join(hidden)}") if hidden else None
