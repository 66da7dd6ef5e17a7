"""Ranks that wait for each other by a board."""

import threading
from collections import Counter

from training.loop.ranks import Ranks


class Board:
    """What Paddle's store is to ranks in several processes."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()

    def add(self, name: str, value: int) -> int:
        self._numbers[name] += value
        return self._numbers[name]


def test_every_rank_gets_what_the_first_one_says_however_late() -> None:
    waits = threading.Event()
    board = Board()
    second = Ranks(rank=1, count=2, board=board, beat=waits.set)
    heard: list[int] = []

    thread = threading.Thread(target=lambda: heard.extend([second.share(0), second.share(0)]))
    thread.start()
    waits.wait(timeout=60)
    first = Ranks(rank=0, count=2, board=board)
    said = [first.share(7), first.share(0)]
    thread.join(timeout=60)

    assert waits.is_set()
    assert said == heard == [7, 0]


def test_ranks_meet_when_all_are_there() -> None:
    arrived: list[int] = []
    board = Board()
    waits = [threading.Event() for _ in range(3)]

    def come(rank: int) -> None:
        Ranks(rank=rank, count=3, board=board, beat=waits[rank].set).meet()
        arrived.append(rank)

    threads = [threading.Thread(target=come, args=[rank]) for rank in (0, 1)]
    for thread in threads:
        thread.start()
    for rank in (0, 1):
        waits[rank].wait(timeout=60)
    early = list(arrived)
    come(2)
    for thread in threads:
        thread.join(timeout=60)

    assert waits[0].is_set()
    assert waits[1].is_set()
    assert early == []
    assert sorted(arrived) == [0, 1, 2]


def test_a_single_rank_waits_for_nobody() -> None:
    alone = Ranks()
    alone.meet()

    assert alone.share(3) == 3
