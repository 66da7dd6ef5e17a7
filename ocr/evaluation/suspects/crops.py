"""The labelled lines of a snapshot, a few in memory at a time."""

from collections.abc import Iterator

from ocr.dataset.candidate import is_checked
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.crops import cut_region, readable_regions
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.pages.upright import lay_upright
from ocr.dataset.snapshot.snapshot import Sample
from ocr.dataset.split import Split
from ocr.evaluation.suspects.suspect import LabelledCrop
from ocr.image.pixels import Image


def crops_of_lines(snapshot: LineSnapshot, split: Split) -> Iterator[tuple[LabelledCrop, Image]]:
    """Yield the lines of a split with their images, (H, W, 3) BGR."""
    for line, image in snapshot.images(split):
        yield _label(line, line.text, region=0), image


def crops_of_pages(pages: PageSnapshot, split: Split) -> Iterator[tuple[LabelledCrop, Image]]:
    """Yield the lines on the pages of a split, cut out as those that a recogniser learns.

    What nobody checked is left out: it is doubted as it is.
    """
    for page, image in pages.images(split):
        if not is_checked(page.source):
            continue
        upright, regions = lay_upright(image, readable_regions(page))
        for number, region in regions:
            yield _label(page, region.text, region=number), cut_region(upright, region)


def count_on_pages(pages: PageSnapshot, split: Split) -> int:
    """Count the lines that `crops_of_pages` yields."""
    checked = (page for page in pages.samples(split) if is_checked(page.source))
    return sum(len(readable_regions(page)) for page in checked)


def _label(sample: Sample, text: str, *, region: int) -> LabelledCrop:
    return LabelledCrop(sample.id, sample.image, region, sample.split, sample.source, text)
