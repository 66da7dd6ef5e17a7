"""What an evaluation found; the gate and the report read it, the store keeps it as JSON."""

from dataclasses import dataclass
from typing import Self

from pydantic import TypeAdapter

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import Confusion
from ocr.evaluation.slices import SliceReport


@dataclass(frozen=True)
class ModelReport:
    """How one model reads the test.

    Attributes:
        name: The model's.
        intervals: Its metrics by name, with two-sided 95 % intervals; bootstrap by document.
        confusions: Most frequent misreadings.
    """

    name: str
    intervals: dict[str, Interval]
    confusions: list[Confusion]


@dataclass(frozen=True)
class EvaluationReport:
    """Candidate, and opponent if there is one, on the same test.

    Attributes:
        candidate: The candidate's part.
        opponent: The opponent's; None: there is none, or only a required number.
        comparison: The change of the metric that decides; None: there is nothing to compare with.
        slices: Parts of the test.
        resamples: Of the bootstrap, with ``seed``.
    """

    candidate: ModelReport
    opponent: ModelReport | None
    comparison: Comparison | None
    slices: list[SliceReport]
    resamples: int
    seed: int

    def to_json(self) -> bytes:
        """Return the report as JSON."""
        return TypeAdapter(type(self)).dump_json(self)

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Read what :meth:`to_json` wrote."""
        return TypeAdapter(cls).validate_json(data)
