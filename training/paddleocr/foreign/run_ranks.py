"""Runs a tool as the ranks of one data-parallel training, one per device of this machine.

    PYTHON run_tools.py PARENT run_ranks.py MEETING DIGEST NODE NODES COUNT DEVICE ADDRESS TOOL …

MEETING is the file `training/meeting.py`, DIGEST names what they learn, ADDRESS is the HOST:PORT
where the ranks of several machines meet. Paddle's launcher would write the environment and a log
per rank into files without bound, and look after ranks every few seconds. Here they say all where
this process does; one that fails ends all of its machine, and those of others lose touch with it.
"""

import ctypes
import mmap
import os
import runpy
import signal
import sys
import time
from types import SimpleNamespace
from typing import Any

PR_SET_PDEATHSIG = 1
POLL_S = 0.001
SIGN_S = 5
AFTER_FIRST_S = 60
"""The first rank validates and saves when the others are done; none has anything to do after it."""
STEPS = "steps"


def main(
    meeting: str,
    digest: str,
    node: str,
    nodes: str,
    count: str,
    device: str,
    address: str,
    *words: str,
) -> None:
    """Run the tool with its arguments in so many processes, and end as the first that fails."""
    meet = SimpleNamespace(**runpy.run_path(meeting))
    host, _, port = address.rpartition(":")
    place = (host, int(port)) if int(nodes) > 1 else (meet.HERE, meet.find_port())
    steps = mmap.mmap(-1, 8)  # which the first rank of a machine counts and all of it see
    parent = os.getpid()
    ranks = {}
    for local in range(int(count)):
        rank = int(node) * int(count) + local
        child = os.fork()
        if not child:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            everybody = int(nodes) * int(count)
            own = meet.name_rank(place, rank=rank, count=everybody, local=local, device=device)
            os.environ.update(own)
            if os.getppid() == parent:
                board = meet.join(rank, digest=digest)
                _wait_for_the_first(rank, local, steps=steps, board=board)
                _run(words)
            return
        ranks[child] = rank
    _watch(ranks)


def _run(words: tuple[str, ...]) -> None:
    """Be a rank."""
    above = os.path.dirname(os.path.dirname(words[0]))  # noqa: PTH120
    # A tool of ours that runs first is told the tree.
    trees = [path for path in (above, *words[1:]) if os.path.isdir(f"{path}/ppocr")]  # noqa: PTH112
    _say_the_mean(trees[0] if trees else above)
    sys.argv = list(words)
    sys.path[0] = os.path.dirname(words[0])  # noqa: PTH120 - not this folder, with files of ours
    runpy.run_path(words[0], run_name="__main__")


def _wait_for_the_first(rank: int, local: int, *, steps: mmap.mmap, board: Any) -> None:
    """Let no rank begin a step before the first, which validates and saves for them all.

    They would wait for it in the exchange of gradients, which gloo ends after 30 s. What a machine
    has no first rank of, its own first one asks for.
    """
    import paddle

    sign = _Sign()

    def tell_or_ask(step: int) -> None:
        if rank == 0:
            board.add(STEPS, 1)
        while rank and board.add(STEPS, 0) < step:
            sign.give()
            time.sleep(POLL_S)
        if rank:
            sign.give()
        steps[:] = step.to_bytes(8, sys.byteorder)

    class Waiting(paddle.DataParallel):  # type: ignore[misc]
        step = 0

        def forward(self, *inputs: Any, **named: Any) -> Any:
            if self.training:
                self.step += 1
                if local == 0:
                    tell_or_ask(self.step)
                while int.from_bytes(steps[:], sys.byteorder) < self.step:
                    time.sleep(POLL_S)
            return super().forward(*inputs, **named)

    paddle.DataParallel = Waiting


class _Sign:
    """Says now and then that a rank is at work, for who watches a machine that says nothing."""

    def __init__(self) -> None:
        self._given = time.monotonic()

    def give(self) -> None:
        if time.monotonic() - self._given > SIGN_S:
            self._given = time.monotonic()
            print("ocrline: learning", flush=True)  # noqa: T201


def _say_the_mean(tree: str) -> None:
    """Let the first rank tell losses that are the mean of all ranks, not of its own part alone."""
    import paddle

    sys.path.append(tree)
    try:
        from ppocr.utils import stats  # type: ignore[import-not-found]
    except ImportError:  # a tool of another tree
        return

    class Shared(stats.TrainingStats):  # type: ignore[misc]
        def update(self, own: dict[str, float]) -> None:
            mean = paddle.to_tensor([float(own[name]) for name in own], "float64")
            paddle.distributed.all_reduce(mean)
            ranks = paddle.distributed.get_world_size()
            super().update(dict(zip(own, (mean / ranks).tolist(), strict=True)))

    stats.TrainingStats = Shared


def _watch(ranks: dict[int, int]) -> None:
    """Wait for all; end them, and this process, as soon as one fails, in the same way."""

    def give_up(*_: Any) -> None:
        sys.exit("the first rank ended and another one did not")

    signal.signal(signal.SIGALRM, give_up)
    while ranks:
        ended, status = os.wait()
        rank = ranks.pop(ended)
        if rank == 0:
            signal.alarm(AFTER_FIRST_S)
        if status:
            for other in ranks:
                os.kill(other, signal.SIGKILL)
            how = os.waitstatus_to_exitcode(status)
            print(f"Warning: rank {rank} was the first to fail, with status {how}")  # noqa: T201
            sys.stdout.flush()
            if how < 0:
                os.kill(os.getpid(), -how)
            sys.exit(how)


if __name__ == "__main__":
    main(*sys.argv[1:])
