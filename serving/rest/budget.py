"""How much all requests together may hold, of bytes or of pixels."""

import threading

from prometheus_client import Gauge

from serving.problems import Problem


class Budget:
    """So many of something for the whole process; a request that would take more is refused.

    What is taken counts as it comes, not as it is announced: announcing costs a client nothing.
    """

    def __init__(self, most: int, *, unit: str, held: Gauge) -> None:
        self.most = most
        self._unit = unit
        held.set_function(lambda: self._held)
        self._held = 0
        self._lock = threading.Lock()

    def account(self) -> "Account":
        """Open the account of one request."""
        return Account(self)

    def add(self, count: int) -> None:
        """Change what is held.

        Raises:
            Problem: It would be more than there is.
        """
        with self._lock:
            if count > 0 and self._held + count > self.most:
                message = f"The {self._unit} of all requests together are over {self.most} already"
                raise Problem("busy", f"{message}; try again later")
            self._held += count


class Account:
    """What one request has taken of a budget; where it leaves the account, all is given back."""

    __slots__ = ("_budget", "taken")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.taken = 0

    def __enter__(self) -> "Account":
        return self

    def __exit__(self, *_: object) -> None:
        if self.taken:
            self.give_back(self.taken)

    @property
    def most(self) -> int:
        """How much there is for all accounts together."""
        return self._budget.most

    def take(self, count: int) -> None:
        """Take more.

        Raises:
            Problem: There is not enough left.
        """
        self._budget.add(count)
        self.taken += count

    def give_back(self, count: int) -> None:
        """Give back some of what was taken."""
        self._budget.add(-count)
        self.taken -= count
