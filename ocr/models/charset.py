"""The characters a model reads, in the order of its classes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ocr.errors import ArtifactNotFound, BadData

_MARK = "\ufeff"
"""A file may begin with it, as a sign of its encoding."""
TO_UTF8 = "save it as UTF-8 (of GBK: iconv -f gb18030 -t utf-8 FILE > NEW)"
_MOST_SHOWN = 100


@dataclass(frozen=True)
class CharsetDiff:
    """How one charset differs from another.

    Attributes:
        new: Characters the other has not.
        missing: Characters only the other has.
        unseen: Characters in none of the texts, which no training can teach.
    """

    new: tuple[str, ...]
    missing: tuple[str, ...]
    unseen: tuple[str, ...]

    def describe(self) -> str:
        """Say in one line what differs; empty where nothing does."""
        parts = {"new": self.new, "gone": self.missing, "never in train": self.unseen}
        return "; ".join(f"{what} {show_some(found)}" for what, found in parts.items() if found)


@dataclass(frozen=True)
class Charset:
    """Characters in class order; class 0 is CTC's blank, the first character is class 1."""

    characters: tuple[str, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for number, character in enumerate(self.characters, start=1):
            if len(character) != 1:
                raise BadData(f"charset line {number} is {character!r}, expected one character")
            if character in seen:
                raise BadData(f"charset line {number} repeats {character!r}")
            seen.add(character)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> "Charset":
        """Collect the characters of the texts in code point order."""
        characters: set[str] = set()
        for text in texts:
            characters.update(text)
        return cls(tuple(sorted(characters)))

    @classmethod
    def read(cls, path: Path) -> "Charset":
        """Read one character a line, UTF-8; empty lines are skipped, a space is a line of its own.

        Raises:
            ArtifactNotFound: When there is no such file.
            BadData: With the line that is not one character, repeats one, or is not UTF-8.
        """
        try:
            return cls.from_bytes(path.read_bytes(), source=str(path))
        except FileNotFoundError as error:
            raise ArtifactNotFound(f"no charset file {path}") from error

    @classmethod
    def from_bytes(cls, data: bytes, *, source: str) -> "Charset":
        """Read the content of a charset file; `source` is its name in errors, as of `read`."""
        lines = _read_lines(data, source=source)
        try:
            return cls(lines)
        except BadData as error:
            raise BadData(f"{source}: {error}") from error

    @classmethod
    def from_dictionary(
        cls, data: bytes, *, source: str, write: Callable[[str], str]
    ) -> tuple["Charset", tuple[str, ...]]:
        """Read the characters of a dictionary, and the lines of several, which are left out.

        PaddleOCR's have such lines (flags, ligatures), and repeat some; one counts once.

        Args:
            data: Content of its file.
            source: Its name in errors.
            write: Writes a character as texts are written. One that has become another character
                is that, but where the dictionary has that one too, or it has become several: each
                line stays the class that it is to weights that were learnt with it.

        Raises:
            BadData: It is not UTF-8, or no line is one character.
        """
        read = dict.fromkeys(_read_lines(data, source=source))
        written = ((line, write(line)) for line in read)
        lines = dict.fromkeys(
            to if len(line) == len(to) == 1 and to not in read else line for line, to in written
        )
        left_out = tuple(line for line in lines if len(line) != 1)
        if len(left_out) == len(lines):
            raise BadData(f"{source} is no dictionary: no line of it is one character")
        return cls(tuple(line for line in lines if len(line) == 1)), left_out

    def to_bytes(self) -> bytes:
        """One character a line, UTF-8: what `read` reads and PaddleOCR takes as a dictionary."""
        return "".join(f"{character}\n" for character in self.characters).encode()

    def write(self, path: Path) -> None:
        """Write one character a line."""
        path.write_bytes(self.to_bytes())

    @property
    def size(self) -> int:
        """Number of classes: the characters and the blank."""
        return len(self.characters) + 1

    def encode(self, text: str) -> list[int]:
        """Classes of a text, from 1.

        Raises:
            BadData: For a character that is not in the charset.
        """
        try:
            return [self._classes[character] for character in text]
        except KeyError as error:
            raise BadData(f"{error.args[0]!r} of {text!r} is not in the charset") from error

    def unknown(self, text: str) -> tuple[str, ...]:
        """Characters of a text that the charset lacks, in order."""
        return tuple(character for character in text if character not in self._classes)

    def diff(self, other: "Charset", texts: Iterable[str]) -> CharsetDiff:
        """Compare with another charset (the champion's) and with the texts to train on."""
        seen: set[str] = set()
        for text in texts:
            seen.update(text)
        return CharsetDiff(
            new=tuple(c for c in self.characters if c not in other._classes),
            missing=tuple(c for c in other.characters if c not in self._classes),
            unseen=tuple(c for c in self.characters if c not in seen),
        )

    @cached_property
    def _classes(self) -> dict[str, int]:
        return {character: index for index, character in enumerate(self.characters, start=1)}


def show_some(characters: Sequence[str]) -> str:
    """Write the first of characters one after another, and say how many more there are."""
    more = len(characters) - _MOST_SHOWN
    return "".join(characters[:_MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _read_lines(data: bytes, *, source: str) -> tuple[str, ...]:
    try:
        lines = data.decode().replace("\r", "").split("\n")
    except UnicodeDecodeError as error:
        raise BadData(f"{source} is not UTF-8: byte {error.start}; {TO_UTF8}") from error
    if lines[0] != _MARK:  # alone on its line it is the first character, as of `to_bytes`
        lines[0] = lines[0].removeprefix(_MARK)
    return tuple(line for line in lines if line)
