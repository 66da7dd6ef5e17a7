"""The one place that turns what a net gives into a text: greedily, or with a text model."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.models.bundle import TEXT_MODEL, RecogniserManifest
from ocr.models.charset import Charset
from ocr.models.text_model import TextModel
from ocr.reading.recognition.beam import search
from ocr.reading.recognition.ctc import Recognition, align, decode
from ocr.reading.recognition.text_states import TextStates


class Decoder:
    """Reads texts from the probabilities of a net; safe to share between threads."""

    def __init__(self, charset: Charset, text_model: TextModel | None = None) -> None:
        """Prepare to read.

        Args:
            charset: The characters of classes 1 and up.
            text_model: What the texts are like; None: read greedily.

        Raises:
            BadData: The text model belongs to another charset.
        """
        self._characters = charset.characters
        self._states = None if text_model is None else TextStates(text_model, charset)

    def weighing(self, weight: float) -> "Decoder":
        """Return a decoder with the same text model at another weight."""
        other = copy(self)
        other._states = None if self._states is None else self._states.weighing(weight)
        return other

    def read(self, probabilities: NDArray[np.floating]) -> str:
        """Read the text of one line alone; see `decode`."""
        if self._states is None:
            return decode(probabilities, self._characters).text
        return self._spell(search(probabilities, self._states))

    def decode(self, probabilities: NDArray[np.floating]) -> Recognition:
        """Read the text of one line.

        The confidence always comes from the net, and says how sure it was of what is read. Of a
        text that is read greedily too it is `ctc.decode`'s; where the text model decided
        otherwise, a character's is its probability in the middle of its frames, which is low.

        Args:
            probabilities: (T, C); class 0 is the blank.
        """
        greedy = decode(probabilities, self._characters)
        if self._states is None:
            return greedy
        classes = search(probabilities, self._states)
        text = self._spell(classes)
        if text == greedy.text:
            return greedy
        places = align(np.log(probabilities + 1e-9), classes)
        confidences = probabilities[places, classes]
        return Recognition(
            text=text,
            confidence=float(confidences.mean()) if classes else 0.0,
            character_confidences=tuple(confidences.tolist()),
        )

    def _spell(self, classes: Sequence[int]) -> str:
        return "".join(self._characters[k - 1] for k in classes)


def read_text_model(bundle: Path, manifest: RecogniserManifest) -> TextModel | None:
    """Read the text model of a verified bundle, which not all have.

    Raises:
        BadData: It is damaged.
    """
    return TextModel.read(bundle / TEXT_MODEL) if TEXT_MODEL in manifest.files else None
