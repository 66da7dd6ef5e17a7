"""What a candidate must meet."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GateRules:
    """What a candidate must meet; the fields are those of configs/gate.py."""

    margin: float
    max_relative_drop: float
    min_accuracy: float
    min_slice_accuracy: float
    min_slice_size: int
    max_latency_ms: float
    max_size_mb: float
