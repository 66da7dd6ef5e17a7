"""POST /v1/recognize: crops in, texts out, each request answered by exactly one version."""

import time
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ocr.errors import BadInput
from ocr.image.pixels import Image
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.rest.body import FILE_TYPES, Limits, parse_query
from serving.rest.budget import Budget
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.crop_request import CropJson, CropOptions, read_crops
from serving.rest.inbox import Inbox
from serving.rest.openapi import BINARY, PROBLEMS, describe_request


class CropAnswer(BaseModel):
    """One recognised crop."""

    text: str = Field(description="What it reads")
    confidence: float = Field(description="Mean probability of its characters, 0 to 1")


class CropsAnswer(BaseModel):
    """The texts of one request, in the order of its images."""

    request_id: str = Field(description="The request's x-request-id, or a fresh one")
    model: str = Field(description="The model that answered")
    version: str = Field(description="The one version that read every image of this request")
    results: list[CropAnswer] = Field(description="One per image")


def crop_routes(
    pool: ModelPool,
    *,
    inbox: Inbox,
    pixels: Budget,
    capacity: Capacity,
    limits: Limits,
    metrics: ServingMetrics,
) -> APIRouter:
    """Make the route over a pool."""
    router = APIRouter()

    @router.post(
        "/v1/recognize",
        summary="Read crops of one text line each",
        response_model=CropsAnswer,
        responses=dict(PROBLEMS),
        openapi_extra=describe_request(
            types=FILE_TYPES,
            parts={"image": {"type": "array", "items": BINARY}},
            fields=CropJson,
            query=CropOptions,
        ),
    )
    async def recognize(request: Request) -> JSONResponse:
        options = parse_query(request.query_params, CropOptions)
        content_type = request.headers.get("content-type", "")
        async with (
            inbox.body(request, file_types=FILE_TYPES) as body,
            capacity.place(),
            while_wanted(request, timeout_s=limits.pages_timeout_s),
        ):

            def work() -> tuple[LiveModel, list[dict[str, Any]]]:
                live = pool.choose(options.model)
                request.state.caller.admit(live.name)
                with pixels.account() as account:
                    images = read_crops(
                        body, content_type=content_type, limits=limits, account=account
                    )
                    return live, recognise_crops(live, images, metrics=metrics)

            live, results = await capacity.run(work)
        answer = {
            "request_id": request.state.request_id,
            "model": live.name,
            "version": live.version,
            "results": results,
        }
        return JSONResponse(answer)  # checking our own answer against its model costs more than it

    return router


def recognise_crops(
    live: LiveModel, images: Sequence[Image], *, metrics: ServingMetrics
) -> list[dict[str, Any]]:
    """Read (H, W, 3) BGR images with one version, and count them.

    Raises:
        Problem: An image is none that can be read.
    """
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
