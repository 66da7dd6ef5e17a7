import asyncio
import threading
from pathlib import Path

import httpx
from fastapi import FastAPI

from serving.access.callers import Callers
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import Problem, answer_problem
from serving.rest.body import Limits
from serving.rest.budget import Budget
from serving.rest.capacity import Capacity
from serving.rest.crops import crop_routes
from serving.rest.edge import Edge
from serving.rest.inbox import Inbox
from tests.serving.tiny_bundle import png

PNG = {"content-type": "image/png"}
LIMITS = Limits(
    body_bytes=10**6,
    body_timeout_s=30,
    images=4,
    image_pixels=10**6,
    request_pixels=10**6,
    pages=1,
    pages_timeout_s=30,
)


class HeldPool(ModelPool):
    """Holds every request inside until it is let go, and has no model then."""

    def __init__(self, metrics: ServingMetrics) -> None:
        super().__init__(named=(), metrics=metrics)
        self.entered, self.released = threading.Semaphore(0), threading.Event()

    def choose(self, name: str) -> LiveModel:
        self.entered.release()
        self.released.wait()
        return super().choose(name)


def test_requests_beyond_the_queue_get_503_and_places_come_back() -> None:
    metrics = ServingMetrics()
    pool = HeldPool(metrics)

    held, refused, after = asyncio.run(_fill(pool, metrics=metrics, places=2))

    assert [reply.json()["error"]["code"] for reply in held] == ["not_ready", "not_ready"]
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
    assert refused.headers["retry-after"] == "1"
    assert after.json()["error"]["code"] == "not_ready"


async def _fill(
    pool: HeldPool, *, metrics: ServingMetrics, places: int
) -> tuple[list[httpx.Response], httpx.Response, httpx.Response]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(crops_app(pool, metrics=metrics, places=places)),
        base_url="http://127.0.0.1",
    ) as http:

        def ask() -> asyncio.Task[httpx.Response]:
            return asyncio.create_task(http.post("/v1/recognize", content=png("2026"), headers=PNG))

        held = [ask() for _ in range(places)]
        await asyncio.to_thread(pool.entered.acquire)
        while f"ocrline_requests_in_flight {places}.0" not in metrics.render().decode():
            await asyncio.sleep(0)
        refused = await ask()
        pool.released.set()
        return list(await asyncio.gather(*held)), refused, await ask()


def crops_app(
    pool: ModelPool,
    *,
    metrics: ServingMetrics,
    places: int = 9,
    workers: int = 1,
    pixels: int = 10**6,
) -> Edge:
    """Make the route of crops, and the edge around it."""
    capacity = Capacity(concurrency=workers, queue=places - workers, in_flight=metrics.in_flight)
    held = Budget(pixels, unit="pixels", held=metrics.pixels)
    bodies = Budget(10**6, unit="bytes of the bodies", held=metrics.body_bytes)
    inbox = Inbox(limits=LIMITS, budget=bodies)
    app = FastAPI()
    app.add_exception_handler(Problem, answer_problem)
    app.include_router(
        crop_routes(
            pool, inbox=inbox, pixels=held, capacity=capacity, limits=LIMITS, metrics=metrics
        )
    )
    pictures = Budget(10**6, unit="bytes of the pictures", held=metrics.picture_bytes)
    return Edge(
        app,
        callers=Callers(token="", keys=Path("/none")),
        names=(),
        pictures=pictures,
        metrics=metrics,
    )
