"""Real workers: what they read together, and what happens when one of them ends or hangs."""

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from ocr.errors import BadData, ParityFailed
from ocr.models.registry import Registry
from ocr.store import open_store
from serving.metrics import ServingMetrics
from serving.workers import crop_lane
from serving.workers.crew import Crew
from serving.workers.faults import WorkerFailed
from serving.workers.worker import Worker
from tests.processes import children_with, has_ended
from tests.serving.tiny_bundle import DIGITS, LETTERS, draw, make_bundle, png, reading
from tests.serving.tiny_pipeline import draw_page, register_pipeline

pytestmark = pytest.mark.anyio

WORKERS = 2
PIXELS = 10**6
SECRET = "a-secret-of-the-gateway"


@asynccontextmanager
async def running_crew() -> AsyncIterator[Crew]:
    crew = Crew(
        {"engine": "onnxruntime", "threads": 2, "paddle_serving": ""},
        workers=WORKERS,
        max_pixels=PIXELS,
        page_timeout_s=30,
        metrics=ServingMetrics(),
    )
    crew.start()
    try:
        yield crew
    finally:
        await crew.close()
        assert not processes()


def processes() -> list[psutil.Process]:
    return children_with("serving.workers.child")


async def load(crew: Crew, folder: Path, characters: str = DIGITS, *, model: bytes = b"") -> str:
    key = f"bars:{folder.name}#1"
    bundle = make_bundle(folder, version=folder.name, characters=characters, model=model)
    await asyncio.to_thread(crew.load, key, bundle)
    return key


async def read(crew: Crew, model: str, texts: Sequence[str]) -> list[str]:
    answers = await answer(crew, model, [png(text) for text in texts])
    return [answer["text"] if answer else "" for answer in answers]


async def answer(
    crew: Crew, model: str, images: Sequence[bytes], *, most_pixels: int = PIXELS
) -> Sequence[Mapping[str, Any] | None]:
    request = crew.read_crops(model, images, most_pixels=most_pixels)
    await request.done
    return request.answers


def draw_texts(dice: random.Random, most: int) -> list[str]:
    counts = [dice.randint(1, 12) for _ in range(dice.randint(1, most))]
    return ["".join(dice.choices(DIGITS, k=count)) for count in counts]


async def test_crops_of_many_requests_and_two_models_get_their_own_answers(tmp_path: Path) -> None:
    dice = random.Random(3)
    async with running_crew() as crew:
        models = {
            await load(crew, tmp_path / "v1", DIGITS): DIGITS,
            await load(crew, tmp_path / "v2", LETTERS): LETTERS,
        }
        asked = [(dice.choice(list(models)), draw_texts(dice, 20)) for _ in range(200)]

        answers = await asyncio.gather(*(read(crew, model, texts) for model, texts in asked))

    expected = [[reading(text, models[model]) for text in texts] for model, texts in asked]
    assert answers == expected


async def test_killed_workers_lose_no_request_and_their_successors_have_every_model(
    tmp_path: Path,
) -> None:
    dice = random.Random(4)
    async with running_crew() as crew:
        model = await load(crew, tmp_path / "v1")
        first = {process.pid for process in processes()}

        async def ask_on() -> int:
            count = 0
            while {process.pid for process in processes()} & first:
                texts = draw_texts(dice, 5)
                assert await read(crew, model, texts) == texts
                count += 1
            return count

        asking = [asyncio.create_task(ask_on()) for _ in range(8)]
        for pid in first:
            await asyncio.sleep(0.2)
            os.kill(pid, signal.SIGKILL)
        counts = await asyncio.gather(*asking)
        while len(processes()) < WORKERS:
            await asyncio.sleep(0.05)

        assert min(counts) > 0
        assert await read(crew, model, ["77"] * 40) == ["77"] * 40


async def test_hung_worker_is_replaced_and_its_crops_are_read_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_crew() as crew:
        model = await load(crew, tmp_path / "v1")
        monkeypatch.setitem(crop_lane.ANSWER_S, "onnxruntime", 1.0)
        hung = processes()[0]
        hung.suspend()

        answers = await asyncio.gather(*(read(crew, model, ["12", "3"]) for _ in range(40)))
        while not has_ended(hung):
            await asyncio.sleep(0.05)

        assert answers == [["12", "3"]] * 40


async def test_idle_worker_that_hangs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(crop_lane.ANSWER_S, "onnxruntime", 1.0)
    async with running_crew() as crew:
        await load(crew, tmp_path / "v1")
        hung = processes()[0]

        hung.suspend()
        while not has_ended(hung):
            await asyncio.sleep(0.05)


async def test_model_that_does_not_load_or_reads_otherwise_is_in_no_worker(tmp_path: Path) -> None:
    async with running_crew() as crew:
        good = await load(crew, tmp_path / "v1")
        with pytest.raises(BadData, match="no usable ONNX model"):
            await load(crew, tmp_path / "v2", model=b"junk")
        wrong = make_bundle(
            tmp_path / "v3", version="v3", characters=DIGITS, golden_characters=LETTERS
        )
        with pytest.raises(ParityFailed, match="reads '0123456789' instead of 'ABCDEFGHIJ'"):
            await asyncio.to_thread(crew.load, "bars:v3#1", wrong)

        assert await read(crew, good, ["4"]) == ["4"]
        assert [worker.models for worker in crew.workers()] == [{good}] * WORKERS


async def test_worker_whose_engine_fails_over_a_model_is_up_and_reads_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_model = Worker.load

    def fail(worker: Worker, model: str, folder: Path, **options: Any) -> None:
        if folder.name == "v2":
            raise WorkerFailed("MemoryError")
        load_model(worker, model, folder, **options)

    async with running_crew() as crew:
        models = [await load(crew, tmp_path / version) for version in ("v1", "v2")]
        monkeypatch.setattr(Worker, "load", fail)
        (lost, _) = crew.workers()
        lost.kill()
        while lost in crew.workers() or len(crew.workers()) < WORKERS:
            await asyncio.sleep(0.05)

        assert [model in crew.damaged for model in models] == [False, True]
        assert [worker.models for worker in crew.workers()] == [{*models}, {models[0]}]
        assert [await read(crew, model, ["4"] * 20) for model in models] == [["4"] * 20] * 2
        monkeypatch.undo()
        while models[1] in crew.damaged:
            await asyncio.sleep(0.05)


async def test_workers_forget_a_model_nobody_holds(tmp_path: Path) -> None:
    async with running_crew() as crew:
        model = await load(crew, tmp_path / "v1")

        await asyncio.to_thread(crew.unload, model)

        assert [worker.models for worker in crew.workers()] == [frozenset()] * WORKERS


async def test_worker_that_starts_while_a_model_is_unloaded_forgets_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_model = Worker.load

    async with running_crew() as crew:
        old, new = [await load(crew, tmp_path / version) for version in ("v1", "v2")]

        def load_late(worker: Worker, model: str, folder: Path, **options: Any) -> None:
            load_model(worker, model, folder, **options)
            if model == new:
                crew.unload(old)

        monkeypatch.setattr(Worker, "load", load_late)
        (lost, _) = crew.workers()
        lost.kill()
        while lost in crew.workers() or len(crew.workers()) < WORKERS:
            await asyncio.sleep(0.05)
        while any(old in worker.models for worker in crew.workers()):
            await asyncio.sleep(0.05)

        assert await read(crew, new, ["4"] * 20) == ["4"] * 20


async def test_bad_images_are_refused_and_the_others_of_a_batch_are_read(tmp_path: Path) -> None:
    async with running_crew() as crew:
        model = await load(crew, tmp_path / "v1")

        good, bad = await asyncio.gather(
            read(crew, model, ["5"]),
            answer(crew, model, [png("6"), b"no image"]),
        )
        many = await answer(crew, model, [png("6")] * 9, most_pixels=draw("6").size)

    assert good == ["5"]
    assert [sorted(each or ()) for each in bad] == [
        ["confidence", "pixels", "text"],
        ["fault", "pixels"],
    ]
    assert any("fault" in (each or {}) for each in many)


async def test_page_is_read_though_the_worker_that_read_it_was_killed(tmp_path: Path) -> None:
    page = draw_page(["2026", "11"] * 6)
    async with running_crew() as crew:
        registry = Registry(open_store(str(tmp_path / "store")))
        register_pipeline(registry, tmp_path, version="p1", characters=DIGITS)
        await asyncio.to_thread(crew.load, "pages:p1#1", tmp_path / "pages" / "p1")

        reading_it = asyncio.create_task(
            crew.read_page("pages:p1#1", page, {"annotate": False, "render": False, "words": False})
        )
        pages = crew._pages
        while not (busy := [worker for worker in crew.workers() if pages.reads(worker)]):
            await asyncio.sleep(0)
        os.kill(busy[0].pid, signal.SIGKILL)
        read_page = await reading_it

    assert [line["text"] for line in read_page["lines"]] == ["2026", "11"] * 6


async def test_workers_have_no_secret_of_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", SECRET)
    monkeypatch.setenv("MINIO_ROOT_PASSWORD", SECRET)
    async with running_crew() as crew:
        while len(crew.workers()) < WORKERS:
            await asyncio.sleep(0.05)
        environments = [process.environ() for process in processes()]

    assert len(environments) == WORKERS
    assert not [env for env in environments if SECRET in "".join(env.values())]
