"""Promotions and rollbacks while clients hammer: nothing fails, nothing is mixed up."""

import base64
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from ocr.registry import AliasState
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, KANJI, LETTERS, png, reading

CHARSETS = {"v1": DIGITS, "v2": LETTERS, "v3": KANJI}
CLIENTS = 4
SIZES = (1, 1, 5, 100)  # the long ones are still inside when a swap comes
VISIBLE_S = 2.0


class Hammer:
    """Clients that send their own images without a pause and check every answer."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._stop = threading.Event()
        self._count = threading.Lock()
        self.requests = 0
        self.versions: Counter[str] = Counter()
        self.failed: list[str] = []
        self.mixed: list[str] = []

    @contextmanager
    def running(self) -> Iterator["Hammer"]:
        clients = [threading.Thread(target=self._hammer, args=(seed,)) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            yield self
        finally:
            self._stop.set()
            for client in clients:
                client.join()

    def __str__(self) -> str:
        return (
            f"{self.requests} requests, {len(self.failed)} failed, {len(self.mixed)} mixed up, "
            f"answered by {dict(self.versions)}"
        )

    def _hammer(self, seed: int) -> None:
        random_digits = random.Random(seed)
        with httpx.Client(base_url=self._gateway.url, timeout=30, trust_env=False) as http:
            while not self._stop.is_set():
                texts = [
                    "".join(random_digits.choices(DIGITS, k=random_digits.randint(1, 12)))
                    for _ in range(random_digits.choice(SIZES))
                ]
                self._ask(http, texts)

    def _ask(self, http: httpx.Client, texts: list[str]) -> None:
        images = [base64.b64encode(png(text)).decode() for text in texts]
        try:
            reply = http.post("/v1/recognize", json={"images": images})
        except httpx.HTTPError as error:
            self._note(failed=repr(error))
            return
        if reply.status_code != 200:
            self._note(failed=reply.text)
            return
        answer = reply.json()
        expected = [reading(text, CHARSETS[answer["version"]]) for text in texts]
        found = [result["text"] for result in answer["results"]]
        self._note(version=answer["version"], mixed="" if found == expected else str(answer))

    def _note(self, *, version: str = "", failed: str = "", mixed: str = "") -> None:
        with self._count:
            self.requests += 1
            self.versions.update([version] if version else [])
            self.failed.extend([failed] if failed else [])
            self.mixed.extend([mixed] if mixed else [])


def test_swaps_under_load_fail_and_mix_up_nothing(shelf: Shelf) -> None:
    for version, characters in CHARSETS.items():
        shelf.add(version, characters)
    registry = shelf.registry
    registry.promote("bars", "v1", reason="first")
    moves: list[Callable[[], AliasState]] = [
        lambda: registry.promote("bars", "v2", reason="better"),
        lambda: registry.promote("bars", "v3", reason="better still"),
        lambda: registry.rollback("bars", reason="worse after all"),
        lambda: registry.rollback("bars", reason="and that one too"),
        lambda: registry.promote("bars", "v3", reason="it was right"),
        lambda: registry.promote("bars", "v1", reason="it was not"),
    ] * 2
    seconds = []

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        hammer = Hammer(gateway)
        with hammer.running():
            for move in moves:
                served = hammer.requests
                while hammer.requests < served + 60:  # each version has work to be caught at
                    time.sleep(0.01)
                seconds.append(gateway.wait_for(move().version))

    sys.stdout.write(f"{hammer}, seen after {[round(second, 2) for second in seconds]} s\n")
    assert not hammer.failed, hammer.failed[0]
    assert not hammer.mixed, hammer.mixed[0]
    assert set(hammer.versions) == set(CHARSETS)
    assert max(seconds) < VISIBLE_S


def test_promotions_faster_than_loads_end_at_the_last(shelf: Shelf) -> None:
    for version, characters in CHARSETS.items():
        shelf.add(version, characters)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        for version in ("v2", "v3", "v1", "v2", "v1", "v3"):
            shelf.registry.promote("bars", version, reason="hurry")
        gateway.wait_for("v3")

        assert gateway.read(png("19")) == (reading("19", KANJI), "v3")
