"""Pages as a reader read them, beside their labels."""

from collections.abc import Iterable, Iterator, Sequence

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample
from ocr.evaluation.elsewhere import Readings
from ocr.evaluation.pages.counts import count_page
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.pages.report import EvaluatedPage, PageOutcome
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import ReadsPages


def read_pages(
    reader: ReadsPages | Readings[tuple[PageLine, ...]],
    samples: Iterable[tuple[PageSample, Image]],
) -> Iterator[EvaluatedPage]:
    """Read page by page."""
    for sample, image in samples:
        lines = reader.of(sample) if isinstance(reader, Readings) else reader.read(image).lines
        yield EvaluatedPage(
            id=sample.id,
            image=sample.image,
            source=sample.source,
            group=sample.group,
            width_px=image.shape[1],
            height_px=image.shape[0],
            regions=list(sample.regions),
            candidate=_match(sample.regions, lines),
            opponent=None,
        )


def _match(regions: Sequence[Region], lines: Sequence[PageLine]) -> PageOutcome:
    match = match_page(regions, [line.polygon for line in lines])
    return PageOutcome(
        lines=list(lines),
        pairs=list(match.pairs),
        missed=list(match.missed),
        invented=list(match.invented),
        counts=count_page(regions, lines, match),
    )
