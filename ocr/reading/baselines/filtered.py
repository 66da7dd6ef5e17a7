"""A baseline that may only answer with the characters that the labels use."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser


class FilteredRecogniser:
    """Drops the characters outside a charset from what another recogniser read.

    A model off the shelf reads the dot of 皖A·12345, or a space, which a set of labels may leave
    out by convention; counting that as misread would make the comparison cheap. So would counting
    a full-width comma as misread where the labels were rewritten without any, or small letters
    where the labels have capitals only: a letter that the labels use in the other case becomes it.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        *,
        characters: Iterable[str],
        rewrite: Callable[[str], str] = str,
    ) -> None:
        """Wrap a recogniser.

        Args:
            recogniser: What reads.
            characters: What may remain, one character each.
            rewrite: How the texts of the labels were rewritten.
        """
        self._recogniser = recogniser
        self._characters = frozenset(characters)
        self._rewrite = rewrite
        self.name = f"{recogniser.name}, characters of the labels only"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        return [
            replace(reading, text=self._filter(self._rewrite(reading.text)))
            for reading in self._recogniser.recognise(images)
        ]

    def _filter(self, text: str) -> str:
        return "".join(map(self._keep, text))

    def _keep(self, character: str) -> str:
        cases = (character, character.swapcase())
        return next((case for case in cases if case in self._characters), "")
