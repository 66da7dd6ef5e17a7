"""What of the test the opponent was trained on."""

from collections.abc import Sequence
from dataclasses import dataclass

_NAMED = 5


@dataclass(frozen=True)
class Overlap:
    """The test's samples that the opponent was trained on: on them it looks better than it is.

    Attributes:
        samples: Their names.
        unknown: Why there may be more; empty: all are known.
    """

    samples: Sequence[str]
    unknown: str

    def describe(self) -> str:
        """Name the first ones."""
        shown = ", ".join(self.samples[:_NAMED])
        more = len(self.samples) - _NAMED
        return f"{shown} and {more} more" if more > 0 else shown
