"""What an evaluation of lines found."""

from dataclasses import dataclass

from ocr.evaluation.bootstrap import count_documents
from ocr.evaluation.lines.calibration import Calibration
from ocr.evaluation.lines.metrics import LineMetrics
from ocr.evaluation.report import EvaluationReport, ModelReport


@dataclass(frozen=True)
class Reading:
    """What one recogniser read."""

    text: str
    confidence: float


@dataclass(frozen=True)
class EvaluatedLine:
    """One test line as labelled and as read."""

    id: str
    text: str
    source: str
    group: str
    width_px: int
    height_px: int
    sharpness: float
    candidate: Reading
    opponent: Reading | None

    @property
    def gained(self) -> bool:
        """Whether only the candidate reads it."""
        return self.candidate.text == self.text and not self._opponent_reads_it

    @property
    def lost(self) -> bool:
        """Whether only the opponent reads it."""
        return self.candidate.text != self.text and self._opponent_reads_it

    @property
    def _opponent_reads_it(self) -> bool:
        return self.opponent is not None and self.opponent.text == self.text


@dataclass(frozen=True)
class LinesModelReport(ModelReport):
    """How one recogniser reads the test lines.

    Attributes:
        metrics: On all lines.
        calibration: Confidence against accuracy.
    """

    metrics: LineMetrics
    calibration: Calibration


@dataclass(frozen=True)
class LinesReport(EvaluationReport):
    """Candidate, and opponent if there is one, on the same lines; the accuracy is compared.

    Attributes:
        lines: Every line with what was read.
    """

    candidate: LinesModelReport
    opponent: LinesModelReport | None
    lines: list[EvaluatedLine]

    @property
    def documents(self) -> int:
        """How many documents the lines are of."""
        return count_documents([line.group for line in self.lines])

    def misread(self) -> dict[tuple[str, int], str | None]:
        """Return what the opponent read of the lines that the candidate misreads.

        They are named as an `ocr.evaluation.suspects.suspect.LabelledCrop` is: by id and region.
        """
        return {
            (line.id, 0): line.opponent.text if line.opponent else None
            for line in self.lines
            if line.candidate.text != line.text
        }
