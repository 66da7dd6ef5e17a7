"""A snapshot of pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ocr.dataset.candidate import is_checked
from ocr.dataset.pages.label import read_regions
from ocr.dataset.pages.region import Region
from ocr.dataset.snapshot.snapshot import ReadShard, Sample, Snapshot, open_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSample(Sample):
    """One accepted page and its texts, ignored ones included."""

    regions: tuple[Region, ...]

    @property
    def facts(self) -> Mapping[str, object]:
        """What Label Studio shows of it; `group_field: document` keeps its group together."""
        return {"labelled": self.image, "split": self.split, "document": self.group}


PageSnapshot = Snapshot[PageSample]


def open_page_snapshot(folder: Path, read: ReadShard | None = None) -> PageSnapshot:
    """Open a snapshot of pages; arguments and errors are those of `open_snapshot`."""
    return open_snapshot(folder, task="detection", to_sample=_to_sample, read=read)


def of_people(pages: Iterable[PageSample]) -> list[PageSample]:
    """Keep the pages that people labelled; all, where there are no such pages.

    Where text is, a model's boxes teach no other model: on receipts it found less by them.
    """
    known = list(pages)
    return [page for page in known if is_checked(page.source)] or known


def _to_sample(regions: str, **columns: Any) -> PageSample:
    return PageSample(regions=read_regions(regions), **columns)
