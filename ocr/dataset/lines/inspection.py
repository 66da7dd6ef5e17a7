"""Turns label rows and rendered lines into candidates and rejections."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ocr.dataset.candidate import Candidate, reject_row
from ocr.dataset.examination import EncodedImage, Finding, examine_rendered, examine_rows
from ocr.dataset.limits import Limits
from ocr.dataset.lines.labels import LabelRow
from ocr.dataset.lines.validation import find_text_fault
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.dataset.spool import Spool
from ocr.image.pixels import Image
from ocr.models.charset import Charset

_BATCH = 256


class RenderedLine(Protocol):
    """A text line made by the line itself, as `ocr.synthesis` renders them."""

    @property
    def image(self) -> Image:
        """Pixels (H, W, 3), BGR."""

    @property
    def text(self) -> str:
        """What it reads."""

    @property
    def source(self) -> str:
        """What rendered it."""


@dataclass(frozen=True)
class LineInspector:
    """Looks at every row once.

    Attributes:
        limits: What is accepted.
        charset: The only characters allowed; None: any.
        spool: Where good images go.
        pool: Looks into images.
    """

    limits: Limits
    charset: Charset | None
    spool: Spool
    pool: ProcessPool = field(default_factory=ProcessPool)

    def inspect_rows(
        self, rows: Iterable[LabelRow | Rejection], *, root: Path
    ) -> Iterator[Candidate | Rejection]:
        """Inspect label rows in their order; what a reader rejected already passes through."""
        examined = examine_rows(
            (self._judge_text(row) for row in rows),
            root=root,
            limits=self.limits,
            spool=self.spool,
            pool=self.pool,
            batch=_BATCH,
        )
        for each in examined:
            yield each if isinstance(each, Rejection) else _conclude(*each)

    def inspect_rendered(
        self, items: Iterable[RenderedLine], *, split: Split | None
    ) -> Iterator[Candidate | Rejection]:
        """Inspect rendered lines, stored as JPEG."""
        with self.spool.appending() as file:
            for number, line in enumerate(items, start=1):
                row = LabelRow("", line.text, split, "", line.source, f"{line.source}:{number}")
                judged = self._judge_text(row)
                if isinstance(judged, Rejection):
                    yield judged
                else:
                    found = examine_rendered(line.image, limits=self.limits, file=file)
                    yield _conclude(row, found)

    def _judge_text(self, row: LabelRow | Rejection) -> LabelRow | Rejection:
        if isinstance(row, Rejection):
            return row
        fault = find_text_fault(row.text, limits=self.limits, charset=self.charset)
        return row if fault is None else reject_row(row, *fault)


def _conclude(row: LabelRow, finding: Finding) -> Candidate | Rejection:
    if isinstance(finding, EncodedImage):
        return Candidate(row, finding)
    return reject_row(row, finding.reason, finding.detail)
