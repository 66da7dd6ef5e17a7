"""Turns labelled and rendered pages into candidates and rejections."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ocr.dataset.candidate import Candidate
from ocr.dataset.examination import EncodedImage, Finding, examine_rendered, examine_rows
from ocr.dataset.lines.labels import LabelRow
from ocr.dataset.pages.labels import RawPage, RawRegion
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.page_hash import page_hash
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import CheckedPage, check_regions
from ocr.dataset.pages.row import PageRow, regions_to_json
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.dataset.spool import Spool
from ocr.image.pixels import Image

_BATCH = 8


class RenderedPage(Protocol):
    """A page made by the line itself, as `ocr.synthesis.pages` renders them."""

    @property
    def image(self) -> Image:
        """Pixels (H, W, 3), BGR."""

    @property
    def regions(self) -> tuple[Region, ...]:
        """All texts on it."""

    @property
    def source(self) -> str:
        """What rendered it."""


@dataclass
class PageInspector:
    """Looks at every page once. The text of a page's candidate stands for its regions.

    Attributes:
        limits: What is accepted.
        spool: Where good images go.
        pool: Looks into images.
        checked: Regions and their faults so far, by the `where` of their page.
    """

    limits: PageLimits
    spool: Spool
    pool: ProcessPool = field(default_factory=ProcessPool)
    checked: dict[str, CheckedPage] = field(default_factory=dict)

    def inspect_rows(
        self, rows: Iterable[RawPage | Rejection], *, root: Path
    ) -> Iterator[Candidate | Rejection]:
        """Inspect labelled pages in their order; what a reader rejected already passes through."""
        examined = examine_rows(
            (self._count(page) for page in rows),
            root=root,
            limits=self.limits,
            spool=self.spool,
            pool=self.pool,
            batch=_BATCH,
            hash_image=page_hash,
        )
        for each in examined:
            yield each if isinstance(each, Rejection) else self._conclude(*each)

    def inspect_rendered(
        self, items: Iterable[RenderedPage], *, split: Split | None
    ) -> Iterator[Candidate | Rejection]:
        """Inspect rendered pages, stored as JPEG."""
        with self.spool.appending() as file:
            for number, page in enumerate(items, start=1):
                regions = tuple(RawRegion(r.polygon, r.text, r.ignored) for r in page.regions)
                where = f"{page.source}:{number}"
                raw = self._count(RawPage("", regions, split, page.source, where))
                if isinstance(raw, Rejection):
                    yield raw
                    continue
                found = examine_rendered(
                    page.image, limits=self.limits, file=file, hash_image=page_hash
                )
                yield self._conclude(raw, found)

    def _count(self, page: RawPage | Rejection) -> RawPage | Rejection:
        if isinstance(page, Rejection) or len(page.regions) <= self.limits.max_regions:
            return page
        detail = f"{len(page.regions)} regions, allowed are {self.limits.max_regions}"
        return Rejection("too_many_regions", page.where, page.image, "", detail)

    def _conclude(self, page: RawPage, found: Finding) -> Candidate | Rejection:
        if not isinstance(found, EncodedImage):
            return Rejection(found.reason, page.where, page.image, "", found.detail)
        size = (found.width, found.height)
        if page.size not in (None, size):
            detail = f"labelled at {page.size}, the image has {size}"
            return Rejection("labels_of_other_size", page.where, page.image, "", detail)
        checked = check_regions(page, width_px=found.width, height_px=found.height)
        self.checked[page.where] = checked
        row = checked.row
        line = LabelRow(row.image, _summary(row), row.split, row.group, row.source, row.where)
        return Candidate(line, found)


def _summary(row: PageRow) -> str:
    """What a table can show of regions, and two pages of the same regions share."""
    digest = hashlib.sha256(regions_to_json(row.regions).encode()).hexdigest()
    return f"{len(row.regions)} regions ({digest[:12]})"
