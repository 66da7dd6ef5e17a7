"""Two recognisers as one: a fast one answers, an accurate one reads again what it is unsure of."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ocr.image.pixels import Image
from ocr.models.pipeline import PipelineManifest
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser


class CascadeRecogniser:
    """Reads with the fast one; safe to share between threads if both are."""

    def __init__(self, fast: Recogniser, accurate: Recogniser, *, below: float) -> None:
        """Put two recognisers together.

        Args:
            fast: Reads every line.
            accurate: Reads those again whose least sure character is below this probability.
            below: From 0, nothing is read again, to 1.
        """
        self.name = f"{fast.name}, unsure lines {accurate.name}"
        self._fast = fast
        self._accurate = accurate
        self._below = below

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        read = self._fast.recognise(images)
        unsure = [at for at, line in enumerate(read) if line.least_confidence < self._below]
        if not unsure:
            return read
        again = self._accurate.recognise([images[at] for at in unsure])
        for at, line in zip(unsure, again, strict=True):
            read[at] = replace(line, is_reread=True)
        return read


def load_recognisers(manifest: PipelineManifest, load: Callable[[str], Recogniser]) -> Recogniser:
    """Load what reads the lines of a pipeline: its recogniser, or a cascade of two.

    Args:
        manifest: The pipeline's.
        load: Loads a recogniser by NAME:VERSION.
    """
    recogniser = load(manifest.recogniser)
    if manifest.second_recogniser is None or manifest.reread_below is None:
        return recogniser
    second = load(manifest.second_recogniser)
    return CascadeRecogniser(recogniser, second, below=manifest.reread_below)
