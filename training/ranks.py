"""This process among the data-parallel ranks of a run."""

import os
import time
from dataclasses import dataclass

import paddle

from ocr.errors import BadInput

HEAD_START_S = 0.5
"""The first rank opens the meeting point; one that finds it closed comes back after 3 s."""


@dataclass(frozen=True)
class Ranks:
    """Which rank this process is, of how many."""

    rank: int
    count: int

    @property
    def is_first(self) -> bool:
        """Whether this rank writes files."""
        return self.rank == 0

    def share(self, value: int) -> int:
        """Return the first rank's value on every rank; waits for all."""
        if self.count == 1:
            return value
        shared = paddle.to_tensor([value], dtype="int64")
        paddle.distributed.broadcast(shared, src=0)
        return int(shared.numpy()[0])


def join_ranks(*, device: str) -> Ranks:
    """Choose the device and, under paddle.distributed.launch, find the other ranks.

    Raises:
        BadInput: The device is a GPU and this Paddle or machine has none.
    """
    if device == "gpu" and not (paddle.is_compiled_with_cuda() and paddle.device.device_count()):
        raise BadInput("resources.device: gpu, but this Paddle or machine has no GPU; use cpu")
    paddle.set_device(device)
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
    if count == 1:
        return Ranks(rank=0, count=1)
    if int(os.environ["PADDLE_TRAINER_ID"]):
        time.sleep(HEAD_START_S)
    paddle.distributed.init_parallel_env()
    return Ranks(rank=paddle.distributed.get_rank(), count=count)
