"""Processes that end while somebody looks at them are no error."""

import os
import subprocess
import sys

import psutil

from tests.processes import children_with, has_ended, words_of

SLEEPS = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)", "of-this-test"]


def test_who_ends_between_two_looks_has_ended_and_says_nothing() -> None:
    with subprocess.Popen(SLEEPS, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()  # one that just began has no words yet
        seen = psutil.Process(process.pid)
        up = has_ended(seen), words_of(seen), children_with("of-this-test")

        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        zombie = has_ended(seen), words_of(seen), children_with("of-this-test")
    gone = has_ended(seen), words_of(seen), children_with("of-this-test")

    assert up == (False, SLEEPS, [seen])
    assert zombie == gone == (True, [], [])
