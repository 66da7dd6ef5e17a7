"""What an evaluation found; the gate and the report read it, the store keeps it as JSON."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import Confusion
from ocr.evaluation.lines.calibration import Calibration
from ocr.evaluation.lines.latency import Latency
from ocr.evaluation.metrics import RecognitionMetrics
from ocr.evaluation.slices import SliceReport


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
class LinesModelReport:
    """How one recogniser reads the test.

    Attributes:
        name: The recogniser's.
        metrics: On all lines.
        intervals: Two-sided 95 % intervals of the metrics, by name.
        confusions: Most frequent misreadings.
        calibration: Confidence against accuracy.
        latency: Time per image.
    """

    name: str
    metrics: RecognitionMetrics
    intervals: dict[str, Interval]
    confusions: list[Confusion]
    calibration: Calibration
    latency: Latency


@dataclass(frozen=True)
class LinesReport:
    """Candidate, and opponent if there is one, on the same images.

    Attributes:
        candidate: The candidate's part; ``opponent``: the opponent's, None for none or a number.
        comparison: The change of accuracy; None: there is nothing to compare with.
        slices: Parts of the test set.
        lines: Every line with what was read.
        resamples: Of the bootstrap, with ``seed``.
    """

    candidate: LinesModelReport
    opponent: LinesModelReport | None
    comparison: Comparison | None
    slices: list[SliceReport]
    lines: list[EvaluatedLine]
    resamples: int
    seed: int

    def to_json(self) -> bytes:
        """Return the report as JSON."""
        return _ADAPTER.dump_json(self, indent=1)

    @classmethod
    def from_json(cls, data: bytes) -> "LinesReport":
        """Read what :meth:`to_json` wrote."""
        return _ADAPTER.validate_json(data)

    def rows(self) -> list[dict[str, str | float | None]]:
        """Return one flat row a line, for a table."""
        return [_row(line) for line in self.lines]


def _row(line: EvaluatedLine) -> dict[str, str | float | None]:
    return {
        "id": line.id,
        "text": line.text,
        "source": line.source,
        "group": line.group,
        "candidate": line.candidate.text,
        "candidate_confidence": line.candidate.confidence,
        "opponent": line.opponent.text if line.opponent else None,
        "opponent_confidence": line.opponent.confidence if line.opponent else None,
    }


_ADAPTER = TypeAdapter(LinesReport)
