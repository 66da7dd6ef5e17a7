"""What stages pass to each other: keys and digests, never data."""

from dataclasses import dataclass

from ocr.dataset.preparation import SnapshotRef
from ocr.gate.approval import Answer
from ocr.report.summary import Summary


@dataclass(frozen=True)
class CheckpointRef:
    """A trained checkpoint in the store.

    `digest` names what decided it, `code` the code that trained it; empty: unknown.
    """

    key: str
    digest: str
    metrics: dict[str, float]
    code: str


@dataclass(frozen=True)
class ModelRef:
    """A version in the registry, and the keys of the checkpoints it was made of."""

    name: str
    version: str
    checkpoints: tuple[str, ...]

    @property
    def reference(self) -> str:
        """The reference that resolves to it."""
        return f"{self.name}:{self.version}"


@dataclass(frozen=True)
class CascadeRef:
    """A second recogniser for unsure lines.

    Attributes:
        recogniser: NAME:VERSION of it.
        time_factor: Reading lines may take so many times what the first one takes alone.
        lines: The snapshot whose validation lines say which are unsure.
    """

    recogniser: str
    time_factor: float
    lines: SnapshotRef


@dataclass(frozen=True)
class FurtherRef:
    """What was read of a further test set.

    Attributes:
        name: The set's.
        dataset: Key of its snapshot.
        evaluations: Prefixes of the reports of the candidate and, if it is a version, the opponent.
    """

    name: str
    dataset: str
    evaluations: tuple[str, ...]


@dataclass(frozen=True)
class EvaluationRef:
    """An evaluation in the store.

    Attributes:
        key: Its prefix in the store.
        model: The candidate.
        dataset: Key of the snapshot it was measured on.
        opponent: What it was measured against: NAME:VERSION, or the name of a baseline.
        champion: Version of the champion at the time, None before the first.
        further: What was read of further test sets.
    """

    key: str
    model: ModelRef
    dataset: str
    opponent: str
    champion: str | None
    further: tuple[FurtherRef, ...] = ()

    @property
    def judged_by(self) -> tuple[str, ...]:
        """Keys of what else a judgement is made by: further sets and what was read of them."""
        return tuple(key for each in self.further for key in (each.dataset, *each.evaluations))


@dataclass(frozen=True)
class JudgementRef:
    """A decision and where a person reads why.

    Attributes:
        verdict: The gate's, or what a person said to it; ``reasons``: why.
        accepted: Whether the candidate goes online.
        report: Path of the report on this machine.
        summary: The numbers that decided.
        answer: What a person said, where one was asked.
    """

    verdict: str
    accepted: bool
    reasons: tuple[str, ...]
    report: str
    summary: Summary | None = None
    answer: Answer | None = None
