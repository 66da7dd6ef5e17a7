"""What stages pass to each other: keys and digests, never data."""

from dataclasses import dataclass

from ocr.dataset.preparation import SnapshotRef


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
class EvaluationRef:
    """An evaluation in the store.

    Attributes:
        key: Its prefix in the store.
        model: The candidate.
        dataset: Key of the snapshot it was measured on.
        opponent: What it was measured against: NAME:VERSION, or the name of a baseline.
        champion: Version of the champion at the time, None before the first.
    """

    key: str
    model: ModelRef
    dataset: str
    opponent: str
    champion: str | None


@dataclass(frozen=True)
class JudgementRef:
    """A decision and where a person reads why."""

    verdict: str
    accepted: bool
    reasons: tuple[str, ...]
    report: str
