"""Runs PaddleOCR's tools, one after another, in a process of its interpreter.

    PYTHON run_tools.py PARENT TOOL ARGUMENT… [+ TOOL ARGUMENT…]

It imports nothing of ours: it belongs to another runtime. The tools run in a child; when that ends,
or the parent does, however it dies, this ends all that they started, in whatever session.
"""

import contextlib
import ctypes
import math
import os
import runpy
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.5
GRACE_S = 5
WATCHED = (signal.SIGTERM, signal.SIGCHLD)


def main(parent: str, *words: str) -> None:
    """Run each tool as if it were started alone."""
    control = ctypes.CDLL(None).prctl
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    control(PR_SET_PDEATHSIG, signal.SIGTERM)
    control(PR_SET_CHILD_SUBREAPER, 1)  # whose parent dies becomes a child of this process
    if os.getppid() != int(parent):
        return
    here = os.getpid()
    child = os.fork()
    if child:
        status = _watch(child)
        _end_all()
        _leave(status)
    control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != here:
        return
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    _run(words)


def _run(words: tuple[str, ...]) -> None:
    tools: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            tools.append([])
        else:
            tools[-1].append(word)
    for number, (tool, *arguments) in enumerate(tools):
        if number:
            print(f"\nocrline: tool {number}", flush=True)  # noqa: T201
        sys.argv = [tool, *arguments]
        sys.path[0] = os.path.dirname(tool)  # noqa: PTH120 - not this folder, with files of ours
        runpy.run_path(tool, run_name="__main__")


def _watch(child: int) -> int:
    """Wait for the tools, and not for long once SIGTERM arrived; return their status."""
    end = math.inf
    while True:
        got = signal.sigtimedwait(WATCHED, POLL_S)
        if got and got.si_signo == signal.SIGTERM:
            os.kill(child, signal.SIGTERM)
            end = min(end, time.monotonic() + GRACE_S)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status


def _end_all() -> None:
    """Kill children until there are none: those of a killed child come here."""
    while True:
        for process in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
            if _parent_of(process) == os.getpid():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _parent_of(process: str) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as stream:  # noqa: PTH123
            return int(stream.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _leave(status: int) -> None:
    """End as the tools did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) % 256)


if __name__ == "__main__":
    main(*sys.argv[1:])
