"""What an evaluation of pages found."""

from collections.abc import Iterator
from dataclasses import dataclass

from ocr.dataset.pages.region import Region
from ocr.evaluation.bootstrap import count_documents
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.pages.counts import PageCounts, is_read
from ocr.evaluation.pages.metrics import PageMetrics
from ocr.evaluation.report import EvaluationReport, ModelReport
from ocr.models.page_line import PageLine


@dataclass(frozen=True)
class PageOutcome:
    """What one reader made of one page; numbers are positions in the page's regions and lines.

    Attributes:
        lines: What it found, in reading order.
        pairs: (region, line) that belong together.
        missed: Regions without a line; ``invented``: lines without a region.
        counts: What is right and wrong.
    """

    lines: list[PageLine]
    pairs: list[tuple[int, int]]
    missed: list[int]
    invented: list[int]
    counts: PageCounts


@dataclass(frozen=True)
class EvaluatedPage:
    """One test page as labelled and as read; ``image`` is its path as written in the labels."""

    id: str
    image: str
    source: str
    group: str
    width_px: int
    height_px: int
    regions: list[Region]
    candidate: PageOutcome
    opponent: PageOutcome | None

    def texts(self) -> list[int]:
        """Return the positions of the regions that a reader must read, in their order."""
        truths = [truth for truth, _ in self.candidate.pairs] + self.candidate.missed
        return sorted(truth for truth in truths if self.regions[truth].text)

    def read(self, outcome: PageOutcome) -> set[int]:
        """Return the positions of the regions that a reader read, but for case and spaces."""
        return {
            truth
            for truth, line in outcome.pairs
            if is_read(self.regions[truth].text, outcome.lines[line].text)
        }

    def compared(self, outcome: PageOutcome) -> Iterator[tuple[str, str]]:
        """Yield (text read, text labelled) of every pair with a transcription."""
        for truth, line in outcome.pairs:
            if self.regions[truth].text:
                yield outcome.lines[line].text, self.regions[truth].text


@dataclass(frozen=True)
class PagesModelReport(ModelReport):
    """How one reader reads the test pages; confusions are those of found lines, case aside.

    Attributes:
        metrics: On all pages.
    """

    metrics: PageMetrics


@dataclass(frozen=True)
class PagesReport(EvaluationReport):
    """Candidate, and opponent if there is one, on the same pages; ``e2e_hmean`` is compared.

    Slices are parts of the labelled lines; their accuracy is the share read, but for case and
    spaces.

    Attributes:
        detection: The change of ``hmean``; None without an opponent.
        pages: Every page with what was read.
    """

    candidate: PagesModelReport
    opponent: PagesModelReport | None
    detection: Comparison | None
    pages: list[EvaluatedPage]

    @property
    def documents(self) -> int:
        """How many documents the pages are of."""
        return count_documents([page.group for page in self.pages])

    def misread(self) -> dict[tuple[str, int], str | None]:
        """Return what the opponent read of the lines that the candidate misses or misreads.

        They are named as an `ocr.evaluation.suspects.suspect.LabelledCrop` is: by id and region.
        """
        found: dict[tuple[str, int], str | None] = {}
        for page in self.pages:
            theirs = page.opponent
            texts = {truth: theirs.lines[at].text for truth, at in theirs.pairs} if theirs else {}
            for truth in set(page.texts()) - page.read(page.candidate):
                found[page.id, truth + 1] = texts.get(truth)
        return found
