"""The test labels that a candidate contradicts most, ready to be shown."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ocr.evaluation.suspects.finding import ChecksLabels, find_suspects
from ocr.evaluation.suspects.suspect import LabelledCrop, Suspect
from ocr.image.pixels import Image
from ocr.report.gallery import Segment, draw_line, mark_differences

MOST = 20

Crops = Iterator[tuple[LabelledCrop, Image]]


@dataclass(frozen=True)
class ShownSuspect:
    """A suspected label with its picture.

    Attributes:
        suspect: The line.
        src: Its image as a data: address.
        read: What the candidate read, its differences from the label marked.
        opponent: What the opponent read; None: nothing, or there is none.
    """

    suspect: Suspect
    src: str
    read: list[Segment]
    opponent: str | None


def show_suspects(
    crops: Callable[[], Crops],
    reader: ChecksLabels,
    *,
    misread: Mapping[tuple[str, int], str | None],
) -> list[ShownSuspect]:
    """Return the labels that the candidate contradicts most, the most suspicious first.

    Args:
        crops: Begins to yield the labelled lines of the test split; asked twice.
        reader: The candidate.
        misread: What the opponent read of each line that the candidate misreads, by the id of its
            image and the number of its region. Only these are read again.
    """

    def of_misread() -> Crops:
        return ((crop, image) for crop, image in crops() if (crop.id, crop.region) in misread)

    doubted = find_suspects(of_misread(), reader, most=MOST)
    found = {
        (each.crop.id, each.crop.region): each
        for each in doubted
        if each.contradiction or each.unknown
    }
    pictures = {
        place: draw_line(image)
        for crop, image in of_misread()
        if (place := (crop.id, crop.region)) in found
    }
    return [
        ShownSuspect(
            each,
            src=pictures[place],
            read=mark_differences(each.read, each.crop.text),
            opponent=misread[place],
        )
        for place, each in found.items()
    ]
