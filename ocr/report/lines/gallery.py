"""The misread lines worth looking at, worst first."""

from collections.abc import Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ocr.evaluation.lines.report import EvaluatedLine, LinesReport
from ocr.image.pixels import Image
from ocr.report.gallery import Segment, draw_line, mark_differences

# Of the room in the gallery; what one leaves goes to the next.
_LOST, _SHARED = 0.5, 0.3
_DIGITS = 12


@dataclass(frozen=True)
class LineImage:
    """The image of a line: its pixels (H, W, 3) BGR, and its name as the labels write it."""

    pixels: Image
    name: str


@dataclass(frozen=True)
class GalleryLine:
    """A misread line ready to be shown.

    Attributes:
        line: The line.
        name: Of its image; the first digits of its id where the labels name none.
        src: Its image as a data: address, empty without one.
        width_px: Of the image; ``height_px``: of it, too.
        candidate: What the candidate read, its differences from the label marked.
        opponent: The same of the opponent; None without one.
    """

    line: EvaluatedLine
    name: str
    src: str
    width_px: int
    height_px: int
    candidate: list[Segment]
    opponent: list[Segment] | None


@dataclass(frozen=True)
class GallerySection:
    """Lines of one fate; ``total`` counts also those that found no room."""

    title: str
    total: int
    lines: list[GalleryLine]


def choose_lines(report: LinesReport, *, most: int) -> dict[str, list[EvaluatedLine]]:
    """Return the lines to show under ``lost``, ``shared`` (both wrong) and ``gained``.

    The most confident and farthest off come first. Only the images of these lines are needed.
    """
    fates = _sort_by_fate(report)
    lost = fates["lost"][: max(round(most * _LOST), most - len(fates["shared"] + fates["gained"]))]
    room = most - len(lost)
    share = max(round(most * _SHARED), room - len(fates["gained"]))
    shared = fates["shared"][: min(room, share)]
    gained = fates["gained"][: room - len(shared)]
    return {"lost": lost, "shared": shared, "gained": gained}


def build_line_gallery(
    report: LinesReport, images: Mapping[str, LineImage], *, most: int
) -> list[GallerySection]:
    """Return the sections of the gallery that have lines.

    Args:
        report: The evaluation.
        images: By sample id; a line without one is shown without.
        most: Lines in all sections together.
    """
    paired = report.opponent is not None
    titles = {
        "lost": "Lost: only the opponent reads these",
        "shared": "Misread by both" if paired else "Misread",
        "gained": "Gained: only the candidate reads these",
    }
    totals, chosen = _sort_by_fate(report), choose_lines(report, most=most)
    return [
        GallerySection(title, len(totals[fate]), [_show(line, images) for line in chosen[fate]])
        for fate, title in titles.items()
        if chosen[fate]
    ]


def _sort_by_fate(report: LinesReport) -> dict[str, list[EvaluatedLine]]:
    wrong = [line for line in report.lines if line.candidate.text != line.text]
    return {
        "lost": sorted((line for line in wrong if line.lost), key=_badness),
        "shared": sorted((line for line in wrong if not line.lost), key=_badness),
        "gained": [] if report.opponent is None else [line for line in report.lines if line.gained],
    }


def _badness(line: EvaluatedLine) -> tuple[float, float, str]:
    distance = Levenshtein.normalized_distance(line.candidate.text, line.text)
    return -distance, -line.candidate.confidence, line.id


def _show(line: EvaluatedLine, images: Mapping[str, LineImage]) -> GalleryLine:
    image = images.get(line.id)
    return GalleryLine(
        line=line,
        name=(image and image.name) or line.id[:_DIGITS],
        src="" if image is None else draw_line(image.pixels),
        width_px=line.width_px,
        height_px=line.height_px,
        candidate=mark_differences(line.candidate.text, line.text),
        opponent=mark_differences(line.opponent.text, line.text) if line.opponent else None,
    )
