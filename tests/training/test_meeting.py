"""Where ranks meet: who comes to another address is sent away, and a name may be unknown yet."""

import subprocess
import sys

from tests.training.running import ROOT
from training.meeting import HERE, find_port, is_open

JOIN = """
import os, sys
from training import meeting
rank, port = map(int, sys.argv[1:])
address = (meeting.HERE, port)
os.environ |= meeting.name_rank(address, rank=rank, count=2, local=rank, device="cpu")
{stranger}
meeting.join(rank, digest="a" * 64)
"""

STRANGER = """
import socket, threading
attach = meeting._answer_only_at
def come_before(here, one):
    stranger = socket.create_connection(("127.0.0.2", port), timeout=20)
    threading.Thread(target=tell_end, args=[stranger]).start()
    attach(here, one)
def tell_end(stranger):
    try:
        print("sent away" if stranger.recv(1) == b"" else "answered", flush=True)
    except TimeoutError:
        print("let in", flush=True)
meeting._answer_only_at = come_before
"""


def start(rank: int, port: int, *, stranger: str = "") -> "subprocess.Popen[str]":
    words = [sys.executable, "-c", JOIN.format(stranger=stranger), str(rank), str(port)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_who_came_to_another_address_before_it_was_closed_is_sent_away() -> None:
    port = find_port()

    with start(0, port, stranger=STRANGER) as first:
        assert first.stdout is not None
        said = first.stdout.readline()
        with start(1, port) as second:
            second.communicate(timeout=200)
        first.communicate(timeout=200)

    assert said == "sent away\n"
    assert (first.returncode, second.returncode) == (0, 0)


def test_nobody_answers_at_a_name_that_is_not_known() -> None:
    assert not is_open(("nobody..here", 1))
    assert not is_open((HERE, find_port()))
