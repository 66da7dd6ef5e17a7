"""Characters of a text that show nothing."""

import unicodedata

from ocr.dataset.quarantine import Fault

_CONTROL_CATEGORIES = ("Cc", "Cs", "Cn", "Zl", "Zp")
# Format characters that show nothing; joiners, which some scripts need, are not among them.
_INVISIBLE = frozenset("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e")


def find_hidden(text: str) -> Fault | None:
    """Find characters of a text that show nothing: control and invisible ones, half characters."""
    if text.isprintable():
        return None
    hidden = [
        f"U+{ord(character):04X}"
        for character in text
        if character in _INVISIBLE or unicodedata.category(character) in _CONTROL_CATEGORIES
    ]
    return Fault("control_character", f"holds {' '.join(hidden)}") if hidden else None
