"""POST /v1/recognize: crops in, texts out, each request answered by exactly one version."""

import asyncio
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from ocr.errors import BadInput, ProcessDied
from ocr.image.pixels import BadImage
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import Problem, error_of, lost_engine
from serving.rest.body import FILE_TYPES, Limits, bad_image, parse_query
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.crop_request import CropJson, CropOptions, parse_crops
from serving.rest.inbox import Inbox
from serving.rest.openapi import (
    BINARY,
    READING,
    ErrorAnswer,
    ItemError,
    describe_request,
    problems,
)
from serving.rest.shortcut import METHOD, Endpoint
from serving.workers.crew import Crew
from serving.workers.crop_queue import CropRequest
from serving.workers.faults import to_error


class CropAnswer(BaseModel):
    """One recognised crop."""

    text: str = Field(description="What it reads")
    confidence: float = Field(description="Mean probability of its characters, 0 to 1")


class UnreadCrop(BaseModel):
    """An image that cannot be read; with partial=true."""

    error: ItemError


class CropsAnswer(BaseModel):
    """The texts of one request, in the order of its images."""

    request_id: str = Field(description="The request's x-request-id, or a fresh one")
    model: str = Field(description="The model that answered")
    version: str = Field(description="The one version that read every image of this request")
    results: list[CropAnswer | UnreadCrop] = Field(description="One per image")


PATH = "/v1/recognize"
OURS: Final = 500
"""From this status on the fault is not the image's."""
LARGE_BODY = 2**16
"""Bytes from which a body is parsed off the event loop."""
TO_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""As JSONResponse writes it, but with an encoder that is made once."""
SOON_S = 0.1
"""Most answers are there by then; only later ones are worth a look whether the client is, too."""


@dataclass(frozen=True)
class CropReader:
    """What reading crops takes.

    Attributes:
        crew: Reads them.
        capacity: Places to wait in.
        limits: Of a request.
        metrics: What is counted.
    """

    crew: Crew
    capacity: Capacity
    limits: Limits
    metrics: ServingMetrics

    async def read(
        self,
        live: LiveModel,
        images: Sequence[bytes | Problem],
        http: Request,
        *,
        partial: bool = False,
    ) -> list[dict[str, Any]]:
        """Read encoded images with one version, and count them.

        Args:
            live: The version.
            images: JPEG and so on; with `partial`, also what is wrong with one.
            http: Whose images; its body has been received.
            partial: Whether to answer the error of an image that is none that can be read.

        Raises:
            ClientDisconnect: The client has left.
            Problem: An image is none that can be read, no engine answers, or the time is over.
        """
        record = http.state.record
        record.note_model(live.name, live.version)
        encoded = [b"" if isinstance(image, Problem) else image for image in images]
        asked = self.crew.read_crops(
            live.key, encoded, most_pixels=self.limits.request_pixels, partial=partial
        )
        try:
            await asyncio.wait((asked.done,), timeout=SOON_S)
            if not asked.done.done():
                async with while_wanted(http, timeout_s=self.limits.pages_timeout_s):
                    await asked.done
        finally:
            asked.done.cancel()
        results = self._results(images, asked, partial=partial)
        confidences = [result["confidence"] for result in results if "error" not in result]
        self.metrics.observe_crops(live.name, confidences)
        record.items = len(confidences)
        return results

    def _results(
        self, images: Sequence[bytes | Problem], asked: CropRequest, *, partial: bool
    ) -> list[dict[str, Any]]:
        may_tell = partial and asked.refused_at < 0
        results: list[dict[str, Any]] = []
        for index, (image, answer) in enumerate(zip(images, asked.answers, strict=True)):
            if answer is None:
                continue  # what is wrong with another has ended the reading
            if isinstance(image, Problem):
                results.append({"error": error_of(image)})
                continue
            if "fault" in answer:
                refusal = _refusal(to_error(answer["fault"]), index=index)
                if not (may_tell and isinstance(refusal, Problem) and refusal.status < OURS):
                    raise refusal
                results.append({"error": error_of(refusal)})
                continue
            results.append({"text": answer["text"], "confidence": answer["confidence"]})
        return results


def crop_endpoint(pool: ModelPool, *, inbox: Inbox, reader: CropReader) -> Endpoint:
    """Make what answers the route over a pool."""

    async def recognize(request: Request) -> Response:
        asked, state = request.scope["query_string"], request.state
        options = parse_query(request.query_params, CropOptions) if asked else CropOptions()
        content_type = state.headers.get("content-type", "")
        async with inbox.body(request, file_types=FILE_TYPES) as body:
            with reader.capacity.place():
                images = await _parse(body, content_type, reader.limits, partial=options.partial)
                caller = state.caller
                caller.admit(options.model)
                live = pool.choose(options.model, of=caller.models)
                results = await reader.read(live, images, request, partial=options.partial)
        answer = {
            "request_id": state.record.request_id,
            "model": live.name,
            "version": live.version,
            "results": results,
        }
        return Response(TO_JSON(answer), media_type="application/json")

    return Endpoint(PATH, recognize)


def crop_routes(endpoint: Endpoint) -> APIRouter:
    """Describe the route; `endpoint` answers it, here or on the `Shortcut`."""
    router = APIRouter(tags=[READING])
    router.add_api_route(
        PATH,
        endpoint.answer,
        methods=[METHOD],
        summary="Read crops of one text line each",
        response_model=CropsAnswer,
        responses=problems(ErrorAnswer),
        openapi_extra=describe_request(
            types=FILE_TYPES,
            parts={"image": {"type": "array", "items": BINARY}},
            fields=CropJson,
            query=CropOptions,
        ),
    )
    return router


async def _parse(
    body: bytes, content_type: str, limits: Limits, *, partial: bool
) -> Sequence[bytes | Problem]:
    parse = functools.partial(
        parse_crops, body, content_type=content_type, limits=limits, partial=partial
    )
    return parse() if len(body) < LARGE_BODY else await asyncio.to_thread(parse)


def _refusal(error: Exception, *, index: int) -> Exception:
    if isinstance(error, BadImage):
        return bad_image(error, what=f"Image {index}", index=index)
    if isinstance(error, ProcessDied):
        return lost_engine(error)
    return Problem("bad_image", str(error)) if isinstance(error, BadInput) else error
