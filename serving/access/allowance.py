"""What may be taken in a minute: a bucket that fills steadily, and holds a minute's worth."""

import math
import time

from serving.problems import Problem

MINUTE_S = 60.0


class Allowance:
    """So many of something a minute; 0: any number."""

    def __init__(self, per_minute: int, *, what: str) -> None:
        """Begin with a minute's worth.

        Args:
            per_minute: How many.
            what: Completes "The key orders may", as in "ask {per_minute} times".
        """
        self.per_minute = per_minute
        self._what = what
        self._left, self._at = float(per_minute), time.monotonic()

    def take(self, count: int, *, name: str) -> None:
        """Take some, not more than a minute's worth.

        Args:
            count: How many.
            name: Of the key.

        Raises:
            Problem: So many are not there, and nothing was taken; it says when they will be.
        """
        if not self.per_minute:
            return
        a_second = self.per_minute / MINUTE_S
        now = time.monotonic()
        self._left = min(self.per_minute, self._left + (now - self._at) * a_second)
        self._at = now
        if self._left < count:
            message = f"The key {name} may {self._what.format(per_minute=self.per_minute)} a minute"
            wait_s = math.ceil((count - self._left) / a_second)
            raise Problem("rate_limited", message, retry_after_s=wait_s)
        self._left -= count

    def give_back(self, count: int) -> None:
        """Put back what was taken and not used."""
        self._left += count  # which `take` holds to a minute's worth
