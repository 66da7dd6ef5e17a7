"""Learning rate, validations and progress as functions of the step."""

import math

FLOOR = 0.01
"""The cosine ends at this share of the peak."""


def learning_rate(step: int, *, steps: int, peak: float, warmup_steps: int) -> float:
    """Linear warm-up times a cosine from the peak to its hundredth."""
    warmup = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return peak * warmup * (FLOOR + (1 - FLOOR) * cosine)


def is_evaluation(step: int, *, steps: int, evaluations: int) -> bool:
    """Say whether a validation follows the step: `evaluations` times, the last at the end."""
    return (step + 1) * evaluations // steps > step * evaluations // steps


def log_interval(steps: int) -> int:
    """Return the steps between two reports: the same for every run of a job.

    A report every one or two seconds where a step takes a tenth, and a few thousand at most.
    """
    return max(1, min(20, steps // 100), steps // 2000)
