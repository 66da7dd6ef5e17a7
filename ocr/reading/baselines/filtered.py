"""A baseline that may only answer with the characters that the labels use."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser


class WrittenAsLabels:
    """Writes texts by the rule and in the characters of labels; other characters are dropped.

    A model off the shelf reads the dot of 皖A·12345, or a space, which a set of labels may leave
    out by convention; counting that as misread would make the comparison cheap. So would counting
    a full-width comma as misread where the labels were rewritten without any, or small letters
    where the labels have capitals only: a letter that the labels use in the other case becomes it.
    """

    def __init__(self, characters: Iterable[str], rewrite: Callable[[str], str] = str) -> None:
        """Keep what decides.

        Args:
            characters: What may remain, one character each.
            rewrite: How the texts of the labels were rewritten.
        """
        self._characters = frozenset(characters)
        self._rewrite = rewrite

    def __call__(self, text: str) -> str:
        """Write a text."""
        kept = "".join(map(self._keep, self._rewrite(text)))
        return self._rewrite(kept)  # spaces meet where a character between them is dropped

    def _keep(self, character: str) -> str:
        cases = (character, character.swapcase())
        return next((case for case in cases if case in self._characters), "")


class FilteredRecogniser:
    """Writes what another recogniser read."""

    def __init__(self, recogniser: Recogniser, write: WrittenAsLabels) -> None:
        """Wrap a recogniser."""
        self._recogniser = recogniser
        self._write = write
        self.name = f"{recogniser.name}, characters of the labels only"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        return [
            replace(reading, text=self._write(reading.text))
            for reading in self._recogniser.recognise(images)
        ]
