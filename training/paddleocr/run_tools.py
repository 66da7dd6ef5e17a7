"""Runs PaddleOCR's tools, one after another, in a process of its interpreter.

    PYTHON run_tools.py PARENT TOOL ARGUMENT… [+ TOOL ARGUMENT…]

It imports nothing of ours: it belongs to another runtime. It dies with the process that started it.
"""

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: str, *words: str) -> None:
    """Run each tool as if it were started alone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        return
    tools: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            tools.append([])
        else:
            tools[-1].append(word)
    for tool, *arguments in tools:
        sys.argv = [tool, *arguments]
        runpy.run_path(tool, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
