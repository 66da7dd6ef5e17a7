import asyncio
from collections.abc import Sequence
from pathlib import Path

import httpx
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from serving.access.access_log import AccessLog
from serving.access.callers import Callers
from serving.metrics import ServingMetrics
from serving.models.model_pool import ModelPool
from serving.rest.body import Limits
from serving.rest.budget import Budget
from serving.rest.capacity import Capacity
from serving.rest.crops import CropReader, crop_endpoint
from serving.rest.edge import Edge, Entrance
from serving.rest.inbox import Inbox
from serving.rest.refusals import Refusals
from serving.workers.crew import Crew
from serving.workers.crop_queue import CropRequest
from tests.serving.models.test_model_pool import make_live
from tests.serving.tiny_bundle import DIGITS, png

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


class HeldCrew(Crew):
    """Holds every request inside until it is let go, and has lost its processes then."""

    def __init__(self, metrics: ServingMetrics) -> None:
        super().__init__({"threads": 1}, workers=1, max_pixels=1, page_timeout_s=1, metrics=metrics)
        self.held: list[CropRequest] = []

    def read_crops(
        self, model: str, images: Sequence[bytes], *, most_pixels: int, partial: bool = False
    ) -> CropRequest:
        done = asyncio.get_running_loop().create_future()
        self.held.append(CropRequest(model, images, done, most_pixels=most_pixels, partial=partial))
        return self.held[-1]

    def release(self) -> None:
        for request in self.held:
            request.answer(0, {"text": request.model, "confidence": 1.0})


def test_requests_beyond_the_queue_get_503_and_places_come_back(tmp_path: Path) -> None:
    metrics = ServingMetrics()
    pool = ModelPool(named=(), metrics=metrics)
    pool.expect("bars", "v1")
    pool.swap(make_live(tmp_path, "v1", DIGITS))

    held, refused, after = asyncio.run(_fill(pool, metrics=metrics, places=2))

    assert [reply.json()["results"][0]["text"] for reply in held] == ["bars:v1#1", "bars:v1#1"]
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
    said = "Requests inside: 2, as many as both settings allow; try again later"
    assert refused.json()["error"]["message"] == said
    assert refused.headers["retry-after"] == "1"
    assert after.status_code == 200


async def _fill(
    pool: ModelPool, *, metrics: ServingMetrics, places: int
) -> tuple[list[httpx.Response], httpx.Response, httpx.Response]:
    crew = HeldCrew(metrics)
    app = crops_app(pool, crew=crew, metrics=metrics, places=places)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
    ) as http:

        def ask() -> asyncio.Task[httpx.Response]:
            return asyncio.create_task(http.post("/v1/recognize", content=png("2026"), headers=PNG))

        held = [ask() for _ in range(places)]
        while f"ocrline_requests_in_flight {places}.0" not in metrics.render().decode():
            await asyncio.sleep(0)
        refused = await ask()
        crew.release()
        answered = list(await asyncio.gather(*held))
        after = ask()
        while len(crew.held) == places:
            await asyncio.sleep(0)
        crew.release()
        return answered, refused, await after


def crops_app(pool: ModelPool, *, crew: Crew, metrics: ServingMetrics, places: int) -> Edge:
    """Make the route of crops, and the edge around it."""
    bodies = Budget(10**6, unit="bytes of the bodies", held=metrics.body_bytes)
    capacity = Capacity(places, limits="both settings", in_flight=metrics.in_flight)
    reader = CropReader(crew=crew, capacity=capacity, limits=LIMITS, metrics=metrics)
    answers = Budget(10**6, unit="bytes of the answers", held=metrics.answer_bytes)
    recognize = crop_endpoint(pool, inbox=Inbox(limits=LIMITS, budget=bodies), reader=reader)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await recognize(Request(scope, receive))
        await response(scope, receive, send)

    callers = Callers(token="", keys=Path("/none"))
    entrance = Entrance(callers=callers, names=(), log=AccessLog(""), metrics=metrics)
    return Edge(app, entrance=entrance, answers=answers, refusals=Refusals())
