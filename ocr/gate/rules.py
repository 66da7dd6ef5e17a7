"""What a candidate must meet."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GateRules:
    """What a candidate must meet; the fields are those of configs/gate.py."""

    margin: float = 0.015
    max_relative_drop: float = 0.02
    min_accuracy: float = 0.0
    min_slice_accuracy: float = 0.0
    min_slice_size: int = 20
    max_latency_ms: float = 1000.0
    max_size_mb: float = 500.0
