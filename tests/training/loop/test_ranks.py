"""Ranks that wait for each other by files."""

import threading
from pathlib import Path

from training.loop.ranks import Ranks


def test_every_rank_gets_what_the_first_one_says_however_late(tmp_path: Path) -> None:
    waits = threading.Event()
    second = Ranks(rank=1, count=2, folder=tmp_path, beat=waits.set)
    heard: list[int] = []

    thread = threading.Thread(target=lambda: heard.extend([second.share(0), second.share(0)]))
    thread.start()
    waits.wait(timeout=10)
    first = Ranks(rank=0, count=2, folder=tmp_path)
    said = [first.share(7), first.share(8)]
    thread.join(timeout=10)

    assert waits.is_set()
    assert said == heard == [7, 8]


def test_ranks_meet_when_all_are_there(tmp_path: Path) -> None:
    arrived: list[int] = []

    waits = [threading.Event() for _ in range(3)]

    def come(rank: int) -> None:
        Ranks(rank=rank, count=3, folder=tmp_path, beat=waits[rank].set).meet()
        arrived.append(rank)

    threads = [threading.Thread(target=come, args=[rank]) for rank in (0, 1)]
    for thread in threads:
        thread.start()
    for rank in (0, 1):
        waits[rank].wait(timeout=10)
    early = list(arrived)
    come(2)
    for thread in threads:
        thread.join(timeout=10)

    assert waits[0].is_set()
    assert waits[1].is_set()
    assert early == []
    assert sorted(arrived) == [0, 1, 2]


def test_a_single_rank_waits_for_nobody(tmp_path: Path) -> None:
    alone = Ranks(rank=0, count=1, folder=tmp_path)
    alone.meet()

    assert alone.share(3) == 3
    assert list(tmp_path.iterdir()) == []
