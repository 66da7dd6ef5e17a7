"""POST /v1/recognize: crops in, texts out, each request answered by exactly one version."""

import time
from collections.abc import Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ocr.errors import BadInput
from ocr.image.pixels import Image
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import STATUS, Problem
from serving.rest.body import Limits, read_body
from serving.rest.capacity import Capacity
from serving.rest.crop_request import ACCEPTED, JsonBody, read_images


class Result(BaseModel):
    """One recognised crop."""

    text: str = Field(description="What it reads")
    confidence: float = Field(description="Mean probability of its characters, 0 to 1")


class Answer(BaseModel):
    """The texts of one request, in the order of its images."""

    request_id: str = Field(description="The request's x-request-id, or a fresh one")
    model: str = Field(description="The model that answered")
    version: str = Field(description="The one version that read every image of this request")
    results: list[Result] = Field(description="One per image")


BINARY: Final = {"schema": {"type": "string", "format": "binary"}}
REQUEST_BODY: Final[dict[str, Any]] = {
    "required": True,
    "content": {
        "image/*": BINARY,
        "application/octet-stream": BINARY,
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"image": {"type": "array", "items": BINARY["schema"]}},
            }
        },
        "application/json": {"schema": JsonBody.model_json_schema()},
    },
}
MODEL_PARAMETER: Final[dict[str, Any]] = {
    "name": "model",
    "in": "query",
    "required": False,
    "description": "Name of the model; needed when several are served",
    "schema": {"type": "string"},
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"description": ", ".join(code for code, number in STATUS.items() if number == status)}
    for status in sorted(set(STATUS.values()))
}


def recognition_routes(
    pool: ModelPool, *, capacity: Capacity, limits: Limits, metrics: ServingMetrics
) -> APIRouter:
    """Make the route over a pool."""
    router = APIRouter()

    @router.post(
        "/v1/recognize",
        summary="Read crops of one text line each",
        response_model=Answer,
        responses=PROBLEMS,
        openapi_extra={"requestBody": REQUEST_BODY, "parameters": [MODEL_PARAMETER]},
    )
    async def recognize(request: Request) -> JSONResponse:
        name = _model_name(request)
        content_type = request.headers.get("content-type", "")
        async with capacity.place():
            body = await read_body(request, limits, accepted=ACCEPTED)

            def work() -> tuple[LiveModel, list[dict[str, Any]]]:
                live = pool.choose(name)
                images = read_images(body, content_type=content_type, limits=limits)
                return live, _recognise(live, images, metrics=metrics)

            live, results = await capacity.run(work)
        answer = {
            "request_id": request.state.request_id,
            "model": live.name,
            "version": live.version,
            "results": results,
        }
        return JSONResponse(answer)  # checking our own answer against its model costs more than it

    return router


def _model_name(request: Request) -> str:
    unknown = sorted(set(request.query_params) - {"model"})
    if unknown:
        raise Problem("bad_query", f"Unknown query parameter {unknown[0][:100]!r}; known: model")
    return request.query_params.get("model", "")


def _recognise(
    live: LiveModel, images: Sequence[Image], *, metrics: ServingMetrics
) -> list[dict[str, Any]]:
    started = time.perf_counter()
    try:
        answers = live.recogniser.recognise(images)
    except BadInput as error:
        raise Problem("bad_image", str(error)) from None
    metrics.inference_seconds.labels(live.name).observe(time.perf_counter() - started)
    metrics.images.labels(live.name).inc(len(answers))
    confidence = metrics.confidence.labels(live.name)
    for answer in answers:
        confidence.observe(answer.confidence)
    return [{"text": answer.text, "confidence": answer.confidence} for answer in answers]
