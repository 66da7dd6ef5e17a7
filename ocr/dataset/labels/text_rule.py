"""How the texts of labels are written before anything else looks at them."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

UnicodeForm = Literal["none", "NFC", "NFKC"]
WhiteSpace = Literal["keep", "collapse"]

_LONGEST = 10_000  # characters; the limits accept 1,000 at most, of which a form joins four to one
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
        text = normalise(text, self.form)
        return _SPACES.sub(" ", text.strip()) if self.white_space == "collapse" else text


def normalise(text: str, form: UnicodeForm) -> str:
    """Write a text, or a character of a dictionary, in a form; its white space stays.

    One that is too long to be learnt stays as it is: accents in a row take the square of their
    number in time.
    """
    if form == "none" or text.isascii() or len(text) > _LONGEST:
        return text
    return unicodedata.normalize(form, text)


@dataclass(frozen=True)
class CountingRule(TextRule):
    """A rule that counts which characters it writes as others; an accent that joins is none.

    Attributes:
        replaced: How often each was in the texts so far.
    """

    replaced: Counter[str] = field(default_factory=Counter)

    def apply(self, text: str) -> str:
        """Write a text by this rule, and count."""
        written = super().apply(text)
        if written != text:
            self.replaced.update(each for each in text if normalise(each, self.form) != each)
        return written


USUAL = TextRule()
AS_WRITTEN = TextRule("none", "keep")
