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
from ocr.reading.recognition.ctc import Recognition, align, decode, log_likelihood
from ocr.reading.recognition.text_states import TextStates

_TINY = 1e-9
"""Added to every probability: no logarithm is infinite."""


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
        self._classes = {character: k for k, character in enumerate(charset.characters, start=1)}
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

    def decode(
        self, probabilities: NDArray[np.floating], *, image_frames: float = 0.0
    ) -> Recognition:
        """Read the text of one line.

        The confidence always comes from the net, and says how sure it was of what is read. Of a
        text that is read greedily too it is `ctc.decode`'s; where the text model decided
        otherwise, a character's is its probability in the middle of its frames, which is low.

        Args:
            probabilities: (T, C); class 0 is the blank.
            image_frames: As `ctc.decode` has it.
        """
        greedy = decode(probabilities, self._characters, image_frames=image_frames)
        if self._states is None:
            return greedy
        classes = search(probabilities, self._states)
        text = self._spell(classes)
        if text == greedy.text:
            return greedy
        places = align(np.log(probabilities + _TINY), classes)
        confidences = probabilities[places, classes]
        return Recognition(
            text=text,
            confidence=float(confidences.mean()) if classes else 0.0,
            character_confidences=tuple(confidences.tolist()),
            character_places=tuple(((places + 0.5) / image_frames).tolist())
            if image_frames
            else (),
        )

    def log_likelihood(self, probabilities: NDArray[np.floating], text: str) -> float:
        """Return how probable a text is to the net alone, in nats; at most 0.

        The net gives no probability to a character outside the charset. It is at most as probable
        as all that the net does not take a frame for: hardly where the net is sure of another.

        Args:
            probabilities: (T, C); class 0 is the blank.
            text: Any; one that the frames cannot hold is as improbable as if none showed it.
        """
        others = np.clip(1 - probabilities.max(axis=1, keepdims=True), 0, None)
        emissions = np.log(np.hstack([probabilities, others]) + _TINY)
        unknown = int(probabilities.shape[1])
        found = log_likelihood(emissions, [self._classes.get(each, unknown) for each in text])
        return max(found, len(probabilities) * float(np.log(_TINY)))

    def _spell(self, classes: Sequence[int]) -> str:
        return "".join(self._characters[k - 1] for k in classes)


def read_text_model(bundle: Path, manifest: RecogniserManifest) -> TextModel | None:
    """Read the text model of a verified bundle, which not all have.

    Raises:
        BadData: It is damaged.
    """
    return TextModel.read(bundle / TEXT_MODEL) if TEXT_MODEL in manifest.files else None
