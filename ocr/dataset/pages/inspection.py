"""What is looked for in labelled and rendered pages."""

from typing import Protocol

from ocr.dataset.candidate import EncodedImage, Row
from ocr.dataset.inputs import RenderedImage
from ocr.dataset.inspection import Inspector
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.pages.copies import page_hashes
from ocr.dataset.pages.label import PageLabel
from ocr.dataset.pages.labels import RawPageLabel, RawRegion
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import check_regions
from ocr.dataset.quarantine import Fault

_BATCH = 8


class RenderedPage(RenderedImage, Protocol):
    """A page, as `ocr.synthesis.pages` renders it."""

    @property
    def regions(self) -> tuple[Region, ...]:
        """All texts on it."""


def page_inspector(
    limits: PageLimits, *, texts: TextRule
) -> Inspector[RenderedPage, RawPageLabel, PageLabel]:
    """Look for pages of the size that was labelled, and for regions that can be used."""

    def find_fault(label: RawPageLabel) -> Fault | None:
        if len(label.regions) <= limits.max_regions:
            return None
        detail = f"{len(label.regions)} regions, allowed are {limits.max_regions}"
        return Fault("too_many_regions", detail)

    return Inspector(
        limits=limits,
        batch=_BATCH,
        hash_image=page_hashes,
        label_of=_label_of,
        rewrite=lambda label: label.written(texts),
        find_fault=find_fault,
        check=_check,
    )


def _label_of(page: RenderedPage) -> RawPageLabel:
    return RawPageLabel(tuple(RawRegion(r.polygon, r.text, r.ignored) for r in page.regions))


def _check(row: Row[RawPageLabel], image: EncodedImage) -> PageLabel | Fault:
    size = (image.width, image.height)
    if row.label.size not in (None, size):
        return Fault("labels_of_other_size", f"labelled at {row.label.size}, the image has {size}")
    return check_regions(row, width_px=image.width, height_px=image.height)
