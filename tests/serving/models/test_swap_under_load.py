"""Promotions and rollbacks while clients hammer: nothing fails, nothing is mixed up."""

import base64
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from ocr.image.pixels import encode_png
from ocr.models.alias import AliasState
from ocr.models.registry import Registry
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway
from tests.serving.tiny_bundle import DIGITS, KANJI, LETTERS, png, reading
from tests.serving.tiny_pipeline import draw_page, load_reader

CHARSETS = {"v1": DIGITS, "v2": LETTERS, "v3": KANJI}
CLIENTS = 4
SIZES = (1, 1, 5, 100)  # the long ones are still inside when a swap comes


Answer = dict[str, Any]
Question = tuple[str, dict[str, Any], Callable[[Answer], bool]]


class Hammer:
    """Clients that send their own images without a pause and check every answer.

    A question is a path, a JSON body and whether an answer to it is right for its version.
    """

    def __init__(
        self, gateway: Gateway, make_question: Callable[[random.Random], Question]
    ) -> None:
        self._gateway = gateway
        self._make_question = make_question
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

    def wait_for_more(self, requests: int) -> None:
        """Wait until as many requests more were answered: each version has work to be caught at."""
        served = self.requests
        while self.requests < served + requests:
            time.sleep(0.01)

    def check(self, versions: Iterable[str]) -> None:
        """Assert that every answer was right and every version gave some."""
        assert not self.failed, self.failed[0]
        assert not self.mixed, self.mixed[0]
        assert set(self.versions) == set(versions)

    def _hammer(self, seed: int) -> None:
        dice = random.Random(seed)
        with httpx.Client(base_url=self._gateway.url, timeout=30, trust_env=False) as http:
            while not self._stop.is_set():
                self._ask(http, *self._make_question(dice))

    def _ask(
        self,
        http: httpx.Client,
        path: str,
        body: dict[str, Any],
        is_right: Callable[[Answer], bool],
    ) -> None:
        try:
            reply = http.post(path, json=body)
        except httpx.HTTPError as error:
            self._note(failed=repr(error))
            return
        if reply.status_code != 200:
            self._note(failed=reply.text)
            return
        answer = reply.json()
        self._note(version=answer["version"], mixed="" if is_right(answer) else str(answer))

    def _note(self, *, version: str = "", failed: str = "", mixed: str = "") -> None:
        with self._count:
            self.requests += 1
            self.versions.update([version] if version else [])
            self.failed.extend([failed] if failed else [])
            self.mixed.extend([mixed] if mixed else [])


def ask_for_lines(dice: random.Random) -> Question:
    texts = [
        "".join(dice.choices(DIGITS, k=dice.randint(1, 12))) for _ in range(dice.choice(SIZES))
    ]

    def is_right(answer: Answer) -> bool:
        expected = [reading(text, CHARSETS[answer["version"]]) for text in texts]
        return [result["text"] for result in answer["results"]] == expected

    images = [base64.b64encode(png(text)).decode() for text in texts]
    return "/v1/recognize", {"images": images}, is_right


def test_swaps_under_load_fail_and_mix_up_nothing(shelf: Shelf) -> None:
    for version, characters in CHARSETS.items():
        shelf.add(version, characters)
    registry = shelf.registry
    registry.promote("bars", "v1", reason="first")

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        hammer = Hammer(gateway, ask_for_lines)
        with hammer.running():
            for move in moves_of(registry, "bars") * 2:
                hammer.wait_for_more(60)
                gateway.wait_for(move().version)

    hammer.check(CHARSETS)


def test_swaps_of_pipelines_under_load_never_pair_parts_of_two_versions(shelf: Shelf) -> None:
    for number, (version, characters) in enumerate(CHARSETS.items()):
        shelf.add_pages(version, characters, growth=0.1 + number / 2)
    shelf.registry.promote("pages", "v1", reason="first")
    made = shelf.folder / "made" / "pages"
    readers = {version: load_reader(made / version) for version in CHARSETS}

    def ask_for_a_page(dice: random.Random) -> Question:
        texts = ["".join(dice.choices(DIGITS, k=9)) for _ in range(dice.choice((1, 3, 12)))]
        page = draw_page(texts)

        def is_right(answer: Answer) -> bool:
            expected = readers[answer["version"]].read(page).lines
            found = answer["pages"][0]["lines"]
            return [line["text"] for line in found] == [line.text for line in expected] and [
                line["polygon"] for line in found
            ] == [[list(corner) for corner in line.polygon] for line in expected]

        document = base64.b64encode(encode_png(page)).decode()
        return "/v1/ocr", {"document": document}, is_right

    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()
        hammer = Hammer(gateway, ask_for_a_page)
        with hammer.running():
            for move in moves_of(shelf.registry, "pages"):
                hammer.wait_for_more(20)
                gateway.wait_for(move().version, name="pages")

    hammer.check(CHARSETS)


def moves_of(registry: Registry, name: str) -> list[Callable[[], AliasState]]:
    return [
        lambda: registry.promote(name, "v2", reason="better"),
        lambda: registry.promote(name, "v3", reason="better still"),
        lambda: registry.rollback(name, reason="worse after all"),
        lambda: registry.rollback(name, reason="and that one too"),
        lambda: registry.promote(name, "v3", reason="it was right"),
        lambda: registry.promote(name, "v1", reason="it was not"),
    ]


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
