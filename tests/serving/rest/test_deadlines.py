"""How long a client waits, as it says itself: nothing is done for it afterwards."""

import asyncio
from pathlib import Path

import httpx
import pytest

from serving.metrics import ServingMetrics
from serving.models.model_pool import ModelPool
from tests.serving.gateway import Gateway
from tests.serving.models.test_model_pool import make_live
from tests.serving.rest.test_capacity import HeldCrew, crops_app
from tests.serving.tiny_bundle import DIGITS, png

PNG = {"content-type": "image/png"}

pytestmark = pytest.mark.anyio


async def test_a_request_whose_time_is_over_is_not_read_any_more(tmp_path: Path) -> None:
    metrics = ServingMetrics()
    pool = ModelPool(named=(), metrics=metrics)
    pool.expect("bars", "v1")
    pool.swap(make_live(tmp_path, "v1", DIGITS))
    crew = HeldCrew(metrics)
    app = crops_app(pool, crew=crew, metrics=metrics, places=1)
    transport = httpx.ASGITransport(app)

    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        late = await http.post(
            "/v1/recognize", content=png("1"), headers=PNG | {"x-request-timeout": "0.05"}
        )
        (request,) = crew.held
        patient = asyncio.create_task(
            http.post("/v1/recognize", content=png("2"), headers=PNG | {"x-request-timeout": "30"})
        )
        while len(crew.held) == 1:
            await asyncio.sleep(0)
        crew.release()
        answered = await patient

    assert (late.status_code, late.json()["error"]["code"]) == (504, "expired")
    assert "within the 0.05 s" in late.json()["error"]["message"]
    assert not request.waits  # who takes up work passes it over
    assert answered.status_code == 200  # in the only place there is


@pytest.mark.parametrize("given", ["0", "soon", "-1", "1e3", "nan", "١", ""])
def test_a_time_that_is_none_is_refused(gateway: Gateway, given: str) -> None:
    headers = [(b"content-type", b"image/png"), (b"x-request-timeout", given.encode())]

    reply = gateway.post(content=png("1"), headers=headers)

    assert reply.status_code == 400
    assert "expected seconds above 0, as in 0.5" in reply.json()["error"]["message"]


def test_an_answer_that_comes_in_time_is_given(gateway: Gateway) -> None:
    reply = gateway.post(content=png("1"), headers=PNG | {"x-request-timeout": "20"})

    assert reply.json()["results"][0]["text"] == "1"
