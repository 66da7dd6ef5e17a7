"""What an evaluation found; the gate and the report read it, the store keeps it as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from ocr.errors import BadData
from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.confusion import Confusion
from ocr.evaluation.slices import SliceReport
from ocr.store.protocol import Store

MOST_REPORT_BYTES: Final = 2**30
"""Some 300 a line."""


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
    def from_json(cls, data: bytes, *, source: str = "report.json") -> Self:
        """Read what :meth:`to_json` wrote.

        Args:
            data: The JSON.
            source: Where it was, for the error.

        Raises:
            BadData: It is damaged.
        """
        try:
            return TypeAdapter(cls).validate_json(data)
        except ValidationError as error:
            what = f"{source} is damaged ({error.errors()[0]['msg']})"
            raise BadData(f"{what}; remove it, and a run measures it again") from None

    @classmethod
    def read(cls, store: Store, evaluation: str) -> Self:
        """Read the report of an evaluation, given its prefix.

        Raises:
            ArtifactNotFound: It is not there.
            BadData: It is damaged.
        """
        key = f"{evaluation}/report.json"
        data = store.read_bytes(key, most=MOST_REPORT_BYTES)
        return cls.from_json(data, source=f"{store.uri}/{key}")


class EvaluatedSample(Protocol):
    """A sample as labelled and as read: a line or a page."""

    @property
    def id(self) -> str:
        """SHA-256 of its image."""

    @property
    def candidate(self) -> object:
        """What the candidate made of it."""


SampleT = TypeVar("SampleT", bound=EvaluatedSample)


def set_beside(ours: Sequence[SampleT], theirs: Sequence[SampleT]) -> list[SampleT]:
    """Put what an opponent made of samples beside what the candidate made of the same.

    Raises:
        BadData: They are not the same.
    """
    if [one.id for one in ours] != [one.id for one in theirs]:
        raise BadData("candidate and opponent read different samples")
    pairs = zip(ours, theirs, strict=True)
    return [replace(one, opponent=other.candidate) for one, other in pairs]  # type: ignore[type-var]
