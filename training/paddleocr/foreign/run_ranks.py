"""Runs a tool as the ranks of one data-parallel training, one per device of this machine.

    PYTHON run_tools.py PARENT run_ranks.py COUNT DEVICE TOOL ARGUMENT…

Paddle's launcher would write the environment and a log per rank into files without bound, and look
after ranks every few seconds. Here they say all where this process does; one that fails ends all.
"""

import contextlib
import ctypes
import mmap
import os
import runpy
import signal
import socket
import stat
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
HEAD_START_S = 0.5
"""The first rank opens the meeting point; one that finds it closed comes back after 3 s."""
POLL_S = 0.001
AFTER_FIRST_S = 60
"""The first rank validates and saves when the others are done; none has anything to do after it."""
HERE = "127.0.0.1"


def main(count: str, device: str, *words: str) -> None:
    """Run the tool with its arguments in so many processes, and end as the first that fails."""
    with socket.create_server((HERE, 0)) as free:
        port = str(free.getsockname()[1])
    os.environ.update(_meeting(port, count=int(count), device=device))
    steps = mmap.mmap(-1, 8)  # which the first rank counts and all see
    parent = os.getpid()
    ranks = {}
    for rank in range(int(count)):
        child = os.fork()
        if not child:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                _run(rank, words, steps=steps)
            return
        ranks[child] = rank
    _watch(ranks)


def _meeting(port: str, *, count: int, device: str) -> dict[str, str]:
    """Return what all ranks are told, where a user did not say it, within this machine."""
    network = "NCCL" if device == "gpu" else "GLOO"
    meeting = {
        "MASTER_ADDR": HERE,
        "MASTER_PORT": port,
        "PADDLE_DISTRI_BACKEND": network.lower(),
        "PADDLE_TRAINERS_NUM": str(count),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(f"{HERE}:{int(port) + n}" for n in range(count)),
    }
    if f"{network}_SOCKET_IFNAME" not in os.environ:
        meeting[f"{network}_SOCKET_IFNAME"] = "lo"
    if device == "cpu":  # a Paddle for CUDA would take a GPU
        meeting["CUDA_VISIBLE_DEVICES"] = "-1"
    return meeting


def _run(rank: int, words: tuple[str, ...], *, steps: mmap.mmap) -> None:
    """Be a rank."""
    endpoint = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[rank]
    own = {"PADDLE_TRAINER_ID": str(rank), "FLAGS_selected_gpus": str(rank)}
    os.environ.update(own, PADDLE_CURRENT_ENDPOINT=endpoint)
    if rank:
        time.sleep(HEAD_START_S)
    _wait_for_the_first(rank, steps)
    if rank == 0:
        _keep_to_this_machine()
    sys.argv = list(words)
    sys.path[0] = os.path.dirname(words[0])  # noqa: PTH120 - not this folder, with files of ours
    runpy.run_path(words[0], run_name="__main__")


def _wait_for_the_first(rank: int, steps: mmap.mmap) -> None:
    """Let no rank begin a step before the first, which validates and saves for them all.

    They would wait for it in the exchange of gradients, which gloo ends after 30 s.
    """
    import paddle

    class Waiting(paddle.DataParallel):  # type: ignore[misc]
        step = 0

        def forward(self, *inputs: Any, **named: Any) -> Any:
            if self.training:
                self.step += 1
                if rank == 0:
                    steps[:] = self.step.to_bytes(8, sys.byteorder)
                while int.from_bytes(steps[:], sys.byteorder) < self.step:
                    time.sleep(POLL_S)
            return super().forward(*inputs, **named)

    paddle.DataParallel = Waiting


def _keep_to_this_machine() -> None:
    """Let only this machine reach the meeting point: Paddle opens it to every network.

    It is closed to them once all ranks have come, by what Linux allows anyone from 5.7 on.
    """
    from paddle.base import core

    make = core.create_or_get_global_tcp_store

    def make_here() -> Any:
        store = make()
        for number in filter(_is_socket, map(int, os.listdir("/proc/self/fd"))):  # noqa: PTH208
            with socket.socket(fileno=os.dup(number)) as one:
                if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    with contextlib.suppress(PermissionError):
                        one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
        return store

    core.create_or_get_global_tcp_store = make_here


def _is_socket(number: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:  # it was that of the list itself
        return False


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
