"""This process among the data-parallel ranks of a run."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import paddle

from ocr.errors import OcrError
from training.loop.trainee import Tensor
from training.meeting import join

POLL_S = 0.01


@dataclass
class Ranks:
    """Which rank this process is, of how many, and how it waits for the others.

    Ranks wait for each other by a board: a collective operation that waits for more than 30 s,
    while the first rank validates or composes, is ended by gloo.

    Attributes:
        rank: From 0.
        count: Number of ranks.
        board: Where there are several, a store of numbers that all see: `add` adds to the one of
            a name, which begins at 0, and returns it.
        beat: Called while waiting, so that waiting counts as progress.
    """

    rank: int = 0
    count: int = 1
    board: Any = None  # paddle ships no types
    beat: Callable[[], None] = lambda: None
    _letters: int = field(default=0, repr=False)

    @property
    def is_first(self) -> bool:
        """Whether this rank writes files."""
        return self.rank == 0

    def share(self, value: int) -> int:
        """Return the first rank's value, 0 or more, on every rank, as soon as it has one."""
        if self.count == 1:
            return value
        self._letters += 1
        if self.is_first:
            self._post(value)
            return value
        return self._fetch(0)

    def meet(self) -> None:
        """Wait until every rank is here."""
        if self.count > 1:
            self._letters += 1
            self._post(0)
            for rank in range(self.count):
                self._fetch(rank)

    def mean(self, value: Tensor) -> Tensor:
        """Return the mean of a tensor over all ranks, on each of them."""
        if self.count == 1:
            return value
        total = value.clone()
        paddle.distributed.all_reduce(total)
        return total / self.count

    def _post(self, value: int) -> None:
        self._add(self.rank, value + 1)

    def _fetch(self, rank: int) -> int:
        while not (posted := self._add(rank, 0)):
            self.beat()
            time.sleep(POLL_S)
        return posted - 1

    def _add(self, rank: int, value: int) -> int:
        try:
            return int(self.board.add(f"{self._letters}-{rank}", value))
        except (RuntimeError, ValueError) as error:
            raise OcrError("Lost touch with rank 0; run again to go on") from error


def join_ranks(*, device: str, digest: str) -> Ranks:
    """Choose the device and, where this process is one of several ranks, find the others.

    Args:
        device: `cpu` or `gpu`.
        digest: Of what all of them are to learn.

    Raises:
        OcrError: Not all came, or those that did learn something else.
    """
    paddle.set_device(device)
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    if count == 1:
        return Ranks()
    rank = int(os.environ["PADDLE_TRAINER_ID"])
    try:
        board = join(rank, digest=digest)
    except ConnectionError as error:
        raise OcrError(f"{error}; run again to go on") from None
    paddle.distributed.init_parallel_env()
    return Ranks(rank=rank, count=count, board=board)
