"""How the texts of labels are written before anything else looks at them."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

UnicodeForm = Literal["none", "NFC", "NFKC"]
WhiteSpace = Literal["keep", "collapse"]

# Tabs and all space separators of Unicode; line breaks are not among them.
_SPACES = re.compile("[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


@dataclass(frozen=True)
class TextRule:
    """How texts are written, so that what looks alike is one class of the recogniser.

    Attributes:
        form: Unicode normalisation form (UAX #15); none: as labelled.
        white_space: Whether every run of spaces becomes one space, and those at the ends none. A
            line break within a text stays: it is no text of one line.
    """

    form: UnicodeForm = "NFC"
    white_space: WhiteSpace = "collapse"

    def apply(self, text: str) -> str:
        """Write a text by this rule; doing so twice changes nothing more."""
        if self.form != "none" and not text.isascii():
            text = unicodedata.normalize(self.form, text)
        return _SPACES.sub(" ", text.strip()) if self.white_space == "collapse" else text


USUAL = TextRule()
AS_WRITTEN = TextRule("none", "keep")
