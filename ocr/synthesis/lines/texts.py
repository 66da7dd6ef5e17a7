"""What lines say: texts drawn from patterns, or the lines of a corpus file."""

import random
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rstr import Rstr

from ocr.errors import BadInput
from ocr.models.charset import TO_UTF8

_MOST_APART = 4  # characters that NFC may join to one
MAX_TEXT_LENGTH = 200  # characters; wider lines than this are pages
# What `.`, \s and the like may stand for: no control characters, and no order that depends on
# the hash seed of the process, as rstr's own sets have.
_PRINTABLE = string.ascii_letters + string.digits + string.punctuation
ALPHABETS = {
    "printable": _PRINTABLE + " ",
    "whitespace": " ",
    "nonwhitespace": _PRINTABLE,
    "nonword": string.punctuation.replace("_", ""),
}


@dataclass(frozen=True)
class TextSource:
    """One pattern or the corpus; its kind is what a sample's source says, `draw` makes a text."""

    kind: Literal["pattern", "corpus"]
    draw: Callable[[random.Random], str]
    known_characters: frozenset[str]


@dataclass(frozen=True)
class Corpus:
    """Texts to draw from: the name of their file, for messages, and what it holds."""

    name: str
    content: bytes


def read_sources(*, patterns: Sequence[str], corpus: Corpus | None) -> tuple[TextSource, ...]:
    """Make the sources that lines are drawn from, each as likely as another.

    Raises:
        BadInput: Nothing to draw from, a pattern that is no usable regular expression, or a
            corpus that is no UTF-8 text.
    """
    sources = [_read_pattern(pattern) for pattern in patterns]
    if corpus is not None:
        sources.append(_read_corpus(corpus))
    if not sources:
        raise BadInput("Synthesis has nothing to draw: name patterns or a corpus file")
    return tuple(sources)


def _read_pattern(pattern: str) -> TextSource:
    if re.search(r"(?<!\\)\[\^", pattern):
        raise BadInput(f"Pattern {pattern!r} has a class of what not to draw: name what to draw")

    def draw(rng: random.Random) -> str:
        try:
            text = Rstr(rng, **ALPHABETS).xeger(pattern)
        except (re.error, ValueError, KeyError, IndexError, OverflowError, RecursionError) as error:
            raise BadInput(f"Texts cannot be drawn from pattern {pattern!r}: {error}") from error
        return _clean(text, origin=f"Pattern {pattern!r}")

    trial = [draw(random.Random(seed)) for seed in range(20)]  # noqa: S311 - no secret
    return TextSource("pattern", draw, frozenset().union(*trial))


def _read_corpus(corpus: Corpus) -> TextSource:
    try:
        lines = corpus.content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"Corpus {corpus.name} is not UTF-8: {error}; {TO_UTF8}") from error
    texts = [
        _clean(line, origin=f"{corpus.name}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not texts:
        raise BadInput(f"Corpus {corpus.name} has no text: one line a text is expected")
    return TextSource("corpus", lambda rng: rng.choice(texts), frozenset().union(*texts))


def _clean(text: str, *, origin: str) -> str:
    """Compose characters (NFC), join runs of white space, refuse what cannot be a line."""
    text = " ".join(text.split())
    if (
        len(text) <= _MOST_APART * MAX_TEXT_LENGTH
    ):  # accents in a row take the square of their number
        text = unicodedata.normalize("NFC", text)
    if not 0 < len(text) <= MAX_TEXT_LENGTH:
        raise BadInput(
            f"{origin} gave a text of {len(text)} characters, allowed are 1 to {MAX_TEXT_LENGTH}"
        )
    for one in text:
        if unicodedata.category(one)[0] in "MC" or unicodedata.bidirectional(one) in ("R", "AL"):
            raise BadInput(
                f"{origin} has {one!r} (U+{ord(one):04X}): control characters, combining marks "
                "and right-to-left scripts are not rendered"
            )
    return text
