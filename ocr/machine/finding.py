"""One thing looked at on a machine, and how to mend it."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["fine", "risky", "broken", "absent"]


@dataclass(frozen=True)
class Finding:
    """What was found of one part.

    Attributes:
        part: What was looked at, in a word or two.
        verdict: fine; risky: it works, but may not always; broken: what needs it cannot work;
            absent: nothing that is asked for needs it.
        found: What is there or wrong, with the value; empty where nothing is there.
        advice: How to mend it; empty where it is fine.
    """

    part: str
    verdict: Verdict
    found: str
    advice: str

    def __str__(self) -> str:
        """Say it in one sentence."""
        return f"{self.part}: {'; '.join(text for text in (self.found, self.advice) if text)}"


def fine(part: str, found: str) -> Finding:
    """Say that a part is as it should be."""
    return Finding(part, "fine", found, "")


def risky(part: str, found: str, advice: str) -> Finding:
    """Say that a part works, but may not always."""
    return Finding(part, "risky", found, advice)


def broken(part: str, found: str, advice: str) -> Finding:
    """Say that what needs this part cannot work."""
    return Finding(part, "broken", found, advice)


def absent(part: str, advice: str) -> Finding:
    """Say that a part is not here and who would need it."""
    return Finding(part, "absent", "", advice)
