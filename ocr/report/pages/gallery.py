"""The pages worth looking at, worst first, with what was found drawn over them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2

from ocr.evaluation.pages.counts import PageCounts, is_read, without_case
from ocr.evaluation.pages.detection import share
from ocr.evaluation.pages.report import EvaluatedPage, PageOutcome, PagesReport
from ocr.image.pixels import Image
from ocr.report.gallery import Segment, mark_differences, to_address

Kind = Literal["read", "misread", "missed", "invented", "uncounted"]

_LONG_SIDE_PX = 900
_JPEG_QUALITY = 72


@dataclass(frozen=True)
class Mark:
    """A polygon over a page; ``points`` as SVG writes them, ``title`` for who points at it."""

    kind: Kind
    points: str
    title: str


@dataclass(frozen=True)
class ErrorRow:
    """A line that was misread, missed or invented; what does not apply is empty."""

    kind: Kind
    label: str
    read: list[Segment]
    confidence: float | None


@dataclass(frozen=True)
class Overlay:
    """What one reader made of a page.

    Attributes:
        who: ``candidate`` or ``opponent``; ``name``: the reader's.
        counts: What is right and wrong.
        marks: Drawn over the page, what matters most last.
        errors: What is misread, missed and invented, in this order.
    """

    who: str
    name: str
    counts: PageCounts
    marks: list[Mark]
    errors: list[ErrorRow]

    @property
    def misread(self) -> int:
        """Lines that were found but not read."""
        return self.counts.compared - self.counts.read

    @property
    def missed(self) -> int:
        """Lines that were not found; regions that nobody transcribed are none."""
        return self.counts.texts - self.counts.compared


@dataclass(frozen=True)
class GalleryPage:
    """A page ready to be shown; ``src`` is a data: address, empty without an image."""

    page: EvaluatedPage
    src: str
    width_px: int
    height_px: int
    overlays: list[Overlay]


def choose_pages(report: PagesReport, *, most: int) -> list[EvaluatedPage]:
    """Return the pages to show, the worst of the candidate first; only their images are needed."""
    return sorted(report.pages, key=_goodness)[:most]


def build_page_gallery(
    report: PagesReport, images: Mapping[str, Image], *, most: int
) -> list[GalleryPage]:
    """Return the pages to show.

    Args:
        report: The evaluation.
        images: Image (H, W, 3) BGR by page id; a page without one is shown without.
        most: Pages at most.
    """
    return [_show(report, page, images.get(page.id)) for page in choose_pages(report, most=most)]


def _goodness(page: EvaluatedPage) -> tuple[float, int, str]:
    counts = page.candidate.counts
    read = share(2 * counts.read, counts.readings + counts.texts)
    return read, counts.read - counts.texts, page.id


def _show(report: PagesReport, page: EvaluatedPage, image: Image | None) -> GalleryPage:
    scale = min(1.0, _LONG_SIDE_PX / max(page.width_px, page.height_px))
    width_px, height_px = (max(1, round(side * scale)) for side in (page.width_px, page.height_px))
    overlays = [_lay_over(page, "candidate", report.candidate.name, page.candidate)]
    if page.opponent and report.opponent:
        overlays.append(_lay_over(page, "opponent", report.opponent.name, page.opponent))
    return GalleryPage(
        page=page,
        src="" if image is None else _encode(image, width_px=width_px, height_px=height_px),
        width_px=width_px,
        height_px=height_px,
        overlays=overlays,
    )


def _encode(image: Image, *, width_px: int, height_px: int) -> str:
    small = cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA)
    jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes()
    return to_address(jpeg, kind="jpeg")


def _lay_over(page: EvaluatedPage, who: str, name: str, outcome: PageOutcome) -> Overlay:
    return Overlay(
        who=who,
        name=name,
        counts=outcome.counts,
        marks=list(_mark(page, outcome)),
        errors=[*_misread(page, outcome), *_missed(page, outcome), *_invented(outcome)],
    )


def _mark(page: EvaluatedPage, outcome: PageOutcome) -> Iterator[Mark]:
    counted = {line for _, line in outcome.pairs} | set(outcome.invented)
    truths = {truth for truth, _ in outcome.pairs} | set(outcome.missed)
    for number, region in enumerate(page.regions):
        if number not in truths:
            yield Mark("uncounted", _points(region.polygon), f"not counted: “{region.text}”")
    for number, line in enumerate(outcome.lines):
        if number not in counted:
            yield Mark("uncounted", _points(line.polygon), f"not counted: read “{line.text}”")
    for truth, number in outcome.pairs:
        yield _mark_pair(page.regions[truth].text, outcome, number)
    for number in outcome.invented:
        line = outcome.lines[number]
        title = f"nothing is labelled here: read “{line.text}”, {line.confidence:.2f} sure"
        yield Mark("invented", _points(line.polygon), title)
    for truth in outcome.missed:
        region = page.regions[truth]
        what = f": “{region.text}”" if region.text else ", not transcribed"
        yield Mark("missed", _points(region.polygon), f"missed{what}")


def _mark_pair(text: str, outcome: PageOutcome, number: int) -> Mark:
    line = outcome.lines[number]
    sure = f"{line.confidence:.2f} sure"
    if not text:
        title = f"found, not transcribed: read “{line.text}”, {sure}"
        return Mark("read", _points(line.polygon), title)
    if is_read(text, line.text):
        return Mark("read", _points(line.polygon), f"“{line.text}”, {sure}")
    title = f"read “{line.text}”, should be “{text}”, {sure}"
    return Mark("misread", _points(line.polygon), title)


def _misread(page: EvaluatedPage, outcome: PageOutcome) -> Iterator[ErrorRow]:
    for truth, number in sorted(outcome.pairs, key=lambda pair: pair[1]):
        text, line = page.regions[truth].text, outcome.lines[number]
        if text and not is_read(text, line.text):
            read = mark_differences(line.text, text, fold=without_case)
            yield ErrorRow("misread", text, read, line.confidence)


def _missed(page: EvaluatedPage, outcome: PageOutcome) -> Iterator[ErrorRow]:
    for truth in outcome.missed:
        yield ErrorRow("missed", page.regions[truth].text, [], None)


def _invented(outcome: PageOutcome) -> Iterator[ErrorRow]:
    for number in outcome.invented:
        line = outcome.lines[number]
        yield ErrorRow("invented", "", [Segment("same", line.text)], line.confidence)


def _points(polygon: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in polygon)
