"""Which batch size to train with, by what trainings of a few steps took."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_SHARE = 0.85
"""Of the memory: what is left goes to longer lines, larger pages and what else grows."""
LEAST_GAIN = 1.05
"""What twice the batch must gain in images/s."""


@dataclass(frozen=True)
class Probe:
    """A training of a few steps.

    Attributes:
        batch_size: Images per step.
        images_per_s: Learnt, the first steps aside; 0: it did not fit.
        peak_memory_mib: Of the device, or of all processes together on CPUs.
        fits: Whether there was memory enough.
    """

    batch_size: int
    images_per_s: float
    peak_memory_mib: float
    fits: bool = True


@dataclass(frozen=True)
class Choice:
    """What probes say.

    Attributes:
        next_batch: What to probe next; 0: enough is known.
        batch_size: What to train with, as far as is known; 0: nothing fits.
        why: Why this one and no larger one.
        is_at_the_limit: Whether memory alone forbids a larger one.
    """

    next_batch: int
    batch_size: int
    why: str
    is_at_the_limit: bool = False


def choose_batch(probes: Sequence[Probe], *, memory_mib: float, most: int) -> Choice:
    """Choose by what was probed so far, each once: doubled while it gains, halved until it fits.

    Args:
        probes: In the order of their making; not empty.
        memory_mib: What there is for a training.
        most: Largest batch that can be had, such as the size of the train split.
    """
    last = probes[-1]
    fitting = sorted((p for p in probes if p.fits), key=lambda probe: probe.batch_size)
    if not fitting:
        why = f"{last.batch_size} does not fit into {_size(memory_mib)}"
        return Choice(last.batch_size // 2, 0, why, is_at_the_limit=True)
    best = fitting[-1]
    share = best.peak_memory_mib / memory_mib
    fits = f"fits to {share:.0%} of {_size(memory_mib)}"
    double = 2 * best.batch_size
    if len(fitting) > 1 and best.images_per_s < LEAST_GAIN * fitting[-2].images_per_s:
        smaller = fitting[-2].batch_size
        why = f"{best.batch_size} gains under {LEAST_GAIN - 1:.0%} over {smaller}"
        return Choice(0, smaller, why)
    if any(probe.batch_size == double for probe in probes):
        why = f"{fits}; {double} does not"
        return Choice(0, best.batch_size, why, is_at_the_limit=True)
    expected = _expect(fitting, double) / memory_mib
    if expected > MOST_SHARE:
        why = f"{fits}; {double} would take {expected:.0%}, over {MOST_SHARE:.0%}"
        return Choice(0, best.batch_size, why, is_at_the_limit=True)
    if double > most:
        return Choice(0, best.batch_size, f"{fits}; a batch of {double} cannot be had")
    return Choice(double, best.batch_size, fits)


def scale_learning_rate(learning_rate: float, *, before: int, after: int) -> float:
    """Return the rate for another batch by the rule of Adam's kin: the root of how it changes.

    Malladi et al., On the SDEs and Scaling Rules for Adaptive Gradient Algorithms, 2022.
    """
    return learning_rate * math.sqrt(after / before)


def _expect(fitting: Sequence[Probe], batch_size: int) -> float:
    """Go on along the line through the last two; one alone says what it takes itself."""
    last = fitting[-1]
    if len(fitting) == 1:
        return last.peak_memory_mib
    before = fitting[-2]
    grown = last.peak_memory_mib - before.peak_memory_mib
    each = max(0.0, grown / (last.batch_size - before.batch_size))
    return last.peak_memory_mib + each * (batch_size - last.batch_size)


def _size(mib: float) -> str:
    return f"{mib / 1024:.1f} GiB"
