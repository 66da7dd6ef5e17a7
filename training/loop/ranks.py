"""This process among the data-parallel ranks of a run."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import paddle

from training.job import MAILBOX

HEAD_START_S = 0.5
"""The first rank opens the meeting point; one that finds it closed comes back after 3 s."""
POLL_S = 0.01


@dataclass
class Ranks:
    """Which rank this process is, of how many, and how it waits for the others.

    Ranks wait for each other by files: a collective operation that waits for more than 30 s,
    while the first rank validates or composes, is ended by gloo.

    Attributes:
        rank: From 0.
        count: Number of ranks.
        folder: The job's folder, which all share.
        beat: Called while waiting, so that waiting counts as progress.
    """

    rank: int
    count: int
    folder: Path
    beat: Callable[[], None] = lambda: None
    _letters: int = field(default=0, repr=False)

    @property
    def is_first(self) -> bool:
        """Whether this rank writes files."""
        return self.rank == 0

    def share(self, value: int) -> int:
        """Return the first rank's value on every rank, as soon as it has one."""
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

    def _post(self, value: int) -> None:
        letter = self._letter(self.rank)
        letter.parent.mkdir(parents=True, exist_ok=True)
        part = letter.with_suffix(".part")
        part.write_text(str(value), encoding="ascii")
        part.rename(letter)

    def _fetch(self, rank: int) -> int:
        letter = self._letter(rank)
        while not letter.exists():
            self.beat()
            time.sleep(POLL_S)
        return int(letter.read_text(encoding="ascii"))

    def _letter(self, rank: int) -> Path:
        return self.folder / MAILBOX / f"{self._letters}-{rank}"


def join_ranks(folder: Path, *, device: str) -> Ranks:
    """Choose the device and, under paddle.distributed.launch, find the other ranks."""
    paddle.set_device(device)
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    if count == 1:
        return Ranks(rank=0, count=1, folder=folder)
    if int(os.environ["PADDLE_TRAINER_ID"]):
        time.sleep(HEAD_START_S)
    paddle.distributed.init_parallel_env()
    return Ranks(rank=paddle.distributed.get_rank(), count=count, folder=folder)
