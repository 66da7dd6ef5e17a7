"""POST /v1/recognize: crops in, texts out, each request answered by exactly one version."""

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.datastructures import QueryParams

from ocr.errors import BadInput, ProcessDied
from ocr.image.pixels import BadImage
from serving.access.access_log import AccessRecord
from serving.access.callers import Caller
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


PATH: Final = "/v1/recognize"
METHOD: Final = "POST"
OURS: Final = 500
"""From this status on the fault is not the image's."""
LARGE_BODY = 2**16
"""Bytes from which a body is parsed off the event loop."""
TO_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""As JSONResponse writes it, but with an encoder that is made once."""
SOON_S = 0.1
"""Most answers are there by then; only later ones are worth a look whether the client is, too."""


@dataclass(frozen=True, slots=True)
class CropReading:
    """What is being read for one request.

    Attributes:
        live: The version that reads.
        images: JPEG and so on; with `partial`, also what is wrong with one.
        partial: Whether to answer the error of an image that is none that can be read.
        asked: Of the crew.
    """

    live: LiveModel
    images: Sequence[bytes | Problem]
    partial: bool
    asked: CropRequest


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
        reading = self.begin(live, images, http.state.record, partial=partial)
        done = reading.asked.done
        try:
            await asyncio.wait((done,), timeout=SOON_S)
            if not done.done():
                async with while_wanted(http, timeout_s=self.limits.pages_timeout_s):
                    await done
        finally:
            done.cancel()
        return self.results(reading, http.state.record)

    def begin(
        self,
        live: LiveModel,
        images: Sequence[bytes | Problem],
        record: AccessRecord,
        *,
        partial: bool,
    ) -> CropReading:
        """Begin to read images, as `read` does."""
        record.note_model(live.name, live.version)
        encoded = [b"" if isinstance(image, Problem) else image for image in images]
        asked = self.crew.read_crops(
            live.key, encoded, most_pixels=self.limits.request_pixels, partial=partial
        )
        return CropReading(live, images, partial, asked)

    def results(self, reading: CropReading, record: AccessRecord) -> list[dict[str, Any]]:
        """Return what was read, and count it.

        Raises:
            Problem: An image is none that can be read, or no engine answers.
        """
        results = list(_results(reading))
        confidences = [result["confidence"] for result in results if "error" not in result]
        self.metrics.observe_crops(reading.live.name, confidences)
        record.items = len(confidences)
        return results


def crop_endpoint(
    pool: ModelPool, *, inbox: Inbox, reader: CropReader
) -> Callable[[Request], Awaitable[Response]]:
    """Make what answers the route over a pool."""

    async def recognize(request: Request) -> Response:
        state = request.state
        options = crop_options(request.scope["query_string"])
        content_type = state.headers.get("content-type", "")
        async with inbox.body(request, file_types=FILE_TYPES) as body:
            with reader.capacity.place():
                images = await _parse(body, content_type, reader.limits, partial=options.partial)
                live = choose_reader(pool, options, state.caller)
                results = await reader.read(live, images, request, partial=options.partial)
        content = write_crops(results, live=live, request_id=state.record.request_id)
        return Response(content, media_type="application/json")

    return recognize


@functools.lru_cache(64)
def crop_options(query: bytes) -> CropOptions:
    """Parse a query; raises as `parse_query` does."""
    return parse_query(QueryParams(query), CropOptions) if query else CropOptions()


def choose_reader(pool: ModelPool, options: CropOptions, caller: Caller) -> LiveModel:
    """Return what reads; raises as `Caller.admit` and `ModelPool.choose` do."""
    caller.admit(options.model)
    return pool.choose(options.model, of=caller.models)


def write_crops(results: Sequence[Mapping[str, Any]], *, live: LiveModel, request_id: str) -> bytes:
    """Write an answer, a `CropsAnswer`."""
    answer = {
        "request_id": request_id,
        "model": live.name,
        "version": live.version,
        "results": results,
    }
    return TO_JSON(answer).encode()


def crop_routes(recognize: Callable[[Request], Awaitable[Response]]) -> APIRouter:
    """Lead to what answers; most requests take the `fast_path`, and have the same answer."""
    router = APIRouter(tags=[READING])
    router.add_api_route(
        PATH,
        recognize,
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


def _results(reading: CropReading) -> Iterator[dict[str, Any]]:
    may_tell = reading.partial and reading.asked.refused_at < 0
    for index, (image, answer) in enumerate(
        zip(reading.images, reading.asked.answers, strict=True)
    ):
        if answer is None:
            continue  # what is wrong with another has ended the reading
        if isinstance(image, Problem):
            yield {"error": error_of(image)}
        elif "fault" in answer:
            refusal = _refusal(to_error(answer["fault"]), index=index)
            if not (may_tell and isinstance(refusal, Problem) and refusal.status < OURS):
                raise refusal
            yield {"error": error_of(refusal)}
        else:
            yield {"text": answer["text"], "confidence": answer["confidence"]}


def _refusal(error: Exception, *, index: int) -> Exception:
    if isinstance(error, BadImage):
        return bad_image(error, what=f"Image {index}", index=index)
    if isinstance(error, ProcessDied):
        return lost_engine(error)
    return Problem("bad_image", str(error)) if isinstance(error, BadInput) else error
