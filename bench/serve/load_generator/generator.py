"""The process that asks: so many requests a second, whether they are answered or not."""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from typing import Final, NamedTuple

import uvloop

from bench.serve.load_generator.connection import Answer, Connection
from bench.serve.load_generator.question import Question

ANSWER_S: Final = 60.0
REPORT_S: Final = 0.1
TICK_S: Final = 1e-3
"""The loop has no shorter sleep: it would only turn."""
AGAIN_S: Final = 1.0
"""What `Retry-After` says at a gateway."""
MOST_TRIES: Final = 20


@dataclass(frozen=True)
class Plan:
    """What is asked.

    Attributes:
        port: Where, on loopback.
        questions: In turn.
        rate: Requests a second; 0: each connection asks without a pause.
        connections: Kept open.
        key: An API key; empty: none.
    """

    port: int
    questions: Sequence[Question]
    rate: float
    connections: int
    key: str = ""


class Outcome(NamedTuple):
    """What came of one request; the times are those of `time.monotonic`.

    Attributes:
        due_s: When it was due, be it that no connection was free then.
        done_s: When its answer was complete.
        failure: Why there was none; empty if there was one.
        fault: What is wrong with it; empty if nothing is.
        version: That gave it.
        again: How often it was told to come again.
    """

    due_s: float
    done_s: float
    failure: str
    fault: str
    version: str
    again: int


class Report(NamedTuple):
    """What the process tells: outcomes, since when a request has waited, and what it has cost."""

    outcomes: Sequence[Outcome]
    waiting_since_s: float
    cpu_s: float


def generate_load(plan: Plan, pipe: Pipe) -> None:
    """Ask until something comes through the pipe, and report through it."""
    uvloop.run(_Asker(plan, pipe).run())


class _Asked(NamedTuple):
    number: int
    due_s: float
    again: int = 0


class _Asker:
    def __init__(self, plan: Plan, pipe: Pipe) -> None:
        self._plan = plan
        self._pipe = pipe
        self._heads = [question.head(key=plan.key) for question in plan.questions]
        self._numbers = itertools.count()
        self._ready: asyncio.Queue[_Asked] = asyncio.Queue()
        self._open: dict[int, float] = {}
        self._outcomes: deque[Outcome] = deque()
        self._is_over = False

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            clients = [group.create_task(self._serve()) for _ in range(self._plan.connections)]
            reporting = group.create_task(self._report())
            await (self._pace() if self._plan.rate else self._fill())
            await reporting
            for client in clients:
                client.cancel()

    async def _pace(self) -> None:
        due_s = time.monotonic()
        while not self._is_over:
            while due_s <= time.monotonic():
                self._add(due_s)
                due_s += 1 / self._plan.rate
            await asyncio.sleep(min(REPORT_S, max(TICK_S, due_s - time.monotonic())))

    async def _fill(self) -> None:
        for _ in range(self._plan.connections):
            self._add(time.monotonic())

    def _add(self, due_s: float) -> None:
        asked = _Asked(next(self._numbers), due_s)
        self._open[asked.number] = due_s
        self._ready.put_nowait(asked)

    async def _serve(self) -> None:
        """Be one client with one connection, again and again the one that has rested longest."""
        connection: Connection | None = None
        while True:
            asked = await self._ready.get()
            try:
                async with asyncio.timeout(ANSWER_S):
                    if connection is None or connection.is_closed:
                        connection = await Connection.open(self._plan.port)
                    answer = await connection.ask(self._request(asked))
            except OSError as error:  # a time-out, too
                if connection is not None:
                    connection.close()
                self._finish(asked, failure=f"{type(error).__name__}: {error}")
            else:
                self._take(asked, answer)

    def _request(self, asked: _Asked) -> bytes:
        place = asked.number % len(self._heads)
        return self._plan.questions[place].request(str(asked.number), head=self._heads[place])

    def _take(self, asked: _Asked, answer: Answer) -> None:
        if answer.status == 200:
            question = self._plan.questions[asked.number % len(self._heads)]
            fault, version = question.judge(answer.body, tag=str(asked.number))
            self._finish(asked, fault=fault, version=version)
        elif (
            answer.status == 503 and b"\r\nretry-after:" in answer.head and asked.again < MOST_TRIES
        ):
            later = asked._replace(again=asked.again + 1)
            asyncio.get_running_loop().call_later(AGAIN_S, self._ready.put_nowait, later)
        else:
            self._finish(asked, failure=f"{answer.status} {answer.body[:200]!r}")

    def _finish(
        self, asked: _Asked, *, failure: str = "", fault: str = "", version: str = ""
    ) -> None:
        del self._open[asked.number]
        done_s = time.monotonic()
        self._outcomes.append(Outcome(asked.due_s, done_s, failure, fault, version, asked.again))
        if not self._plan.rate and not self._is_over:
            self._add(done_s)

    async def _report(self) -> None:
        while not self._is_over or self._open:
            await asyncio.sleep(REPORT_S)
            if self._pipe.poll():
                self._pipe.recv()
                self._is_over = True
            since_s = next(iter(self._open.values()), time.monotonic())
            report = Report(tuple(self._outcomes), since_s, time.process_time())
            self._outcomes.clear()
            with suppress(BrokenPipeError):
                self._pipe.send(report)
