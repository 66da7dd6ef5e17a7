"""Reads labelled lines and lists those whose label is probably wrong."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import islice
from typing import Protocol

from ocr.evaluation.suspects.suspect import LabelledCrop, Suspect
from ocr.image.pixels import Image
from ocr.reading.recognition.recogniser import LabelCheck

_BATCH = 64


class ChecksLabels(Protocol):
    """Anything that reads lines and weighs their labels."""

    def check(self, images: Sequence[Image], labels: Sequence[str]) -> list[LabelCheck]:
        """Read (H, W, 3) BGR images of any size, and weigh the label of each."""


def find_suspects(
    crops: Iterable[tuple[LabelledCrop, Image]], reader: ChecksLabels, *, most: int
) -> list[Suspect]:
    """List the lines whose label is doubted most, the most suspicious first.

    The net reads otherwise than most wrong labels of lines that it did not learn. Of those that it
    did learn, wrong label and all, it reads many as labelled, but is less sure of them.

    Args:
        crops: The lines with their images, (H, W, 3) BGR; streamed.
        reader: Who reads them.
        most: Lines to list.
    """
    return nlargest(most, _doubt(crops, reader), key=lambda suspect: suspect.suspicion)


def _doubt(crops: Iterable[tuple[LabelledCrop, Image]], reader: ChecksLabels) -> Iterator[Suspect]:
    remaining = iter(crops)
    for batch in iter(lambda: list(islice(remaining, _BATCH)), []):
        checks = reader.check([image for _, image in batch], [crop.text for crop, _ in batch])
        for (crop, _), check in zip(batch, checks, strict=True):
            read = check.reading
            yield Suspect(
                crop,
                read=read.text,
                confidence=read.confidence,
                contradiction=check.contradiction,
                doubt=check.doubt,
                unknown=check.unknown,
            )
