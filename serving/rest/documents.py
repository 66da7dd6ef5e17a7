"""POST /v1/ocr: a document in, its lines out, each request answered by exactly one version."""

import asyncio
import base64
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from ocr.image.pdf import BadDocument, DocumentFault
from ocr.image.pixels import BadImage, Image, encode_jpeg
from ocr.reading.annotation import annotate_page
from ocr.reading.page_reader import PageReading
from serving.decoding.decoder import Document
from serving.decoding.page_feed import FedPage, PageFeed
from serving.metrics import ServingMetrics
from serving.models.live_model import LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Code, Problem
from serving.rest.body import Limits, bad_image
from serving.rest.budget import Account, Budget
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.document_answer import EXAMPLE, DocumentAnswer
from serving.rest.document_request import (
    DOCUMENT_TYPES,
    DocumentJson,
    DocumentOptions,
    parse_document,
)
from serving.rest.inbox import Inbox
from serving.rest.openapi import BINARY, PROBLEMS, describe_request

Value = TypeVar("Value")

FAULTS: Final[Mapping[DocumentFault, Code]] = {
    "unreadable": "bad_document",
    "encrypted": "encrypted_pdf",
    "too_large": "image_too_large",
    "too_many_pages": "too_many_pages",
    "too_slow": "too_slow",
}


def document_routes(
    pool: ModelPool,
    *,
    inbox: Inbox,
    feed: PageFeed,
    pixels: Budget,
    capacity: Capacity,
    limits: Limits,
    metrics: ServingMetrics,
) -> APIRouter:
    """Make the route over a pool."""
    router = APIRouter()

    @router.post(
        "/v1/ocr",
        summary="Read a page, or the pages of a PDF or TIFF; of an animation the first frame",
        response_model=DocumentAnswer,
        responses={200: {"content": {"application/json": {"example": EXAMPLE}}}, **PROBLEMS},
        openapi_extra=describe_request(
            types=DOCUMENT_TYPES,
            parts={"document": BINARY},
            fields=DocumentJson,
            query=DocumentOptions,
        ),
    )
    async def read_document(request: Request) -> JSONResponse:
        content_type = request.headers.get("content-type", "")
        async with (
            inbox.body(request, file_types=DOCUMENT_TYPES) as body,
            capacity.place(),
            while_wanted(request, timeout_s=limits.pages_timeout_s),
        ):
            content, options = await asyncio.to_thread(
                parse_document,
                body,
                content_type=content_type,
                query=request.query_params,
                limits=limits,
            )
            live = pool.choose_pipeline(options.model, options.version)
            document = Document(
                content,
                max_pixels=limits.image_pixels,
                max_pages=limits.pages,
                wanted=options.pages,
            )
            pages: list[dict[str, Any]] = []
            async with aclosing(_decode(feed, document)) as decoded:
                async for page in decoded:
                    read = partial(
                        _read, live, page, options, number=len(pages) + 1, metrics=metrics
                    )
                    with pixels.account() as account:
                        account.take(page.image.shape[0] * page.image.shape[1])
                        pages.append(await capacity.run(read))
                    _hold_pictures(pages[-1], request.state.pictures)
        answer = {"model": live.name, "version": live.version, "pages": pages}
        text = "\n\n".join("\n".join(line["text"] for line in page["lines"]) for page in pages)
        return JSONResponse({"request_id": request.state.request_id, **answer, "text": text})

    return router


async def _decode(feed: PageFeed, document: Document) -> AsyncGenerator[FedPage, None]:
    """Yield each page; what is wrong with one refuses the document."""
    index = 0
    async with aclosing(feed.pages(document)) as pages:
        try:
            async for page in pages:
                yield page
                index += 1
        except BadDocument as error:
            raise Problem(FAULTS[error.reason], str(error)) from None
        except BadImage as error:
            raise bad_image(error, what=f"Page {index + 1}", index=index) from None


def _read(
    live: LivePipeline,
    decoded: FedPage,
    options: DocumentOptions,
    *,
    number: int,
    metrics: ServingMetrics,
) -> dict[str, Any]:
    image = decoded.image
    reading = live.reader.read(image)
    timings = {"decode_s": decoded.decode_s, **reading.timings}
    page = {
        "page": number,
        "width": image.shape[1],
        "height": image.shape[0],
        "rotation": reading.rotation,
        "lines": [line.to_json() for line in reading.lines],
        "reread": reading.reread,
    }
    if options.annotate:
        page["annotated"], timings["annotate_s"] = _timed(
            lambda: _jpeg(annotate_page(image, reading.lines))
        )
    if options.render:
        page["image"] = _jpeg(image)
    _count(live.name, reading, timings, metrics=metrics)
    return {**page, "timings": {stage: round(s, 6) for stage, s in timings.items()}}


def _hold_pictures(page: Mapping[str, Any], account: Account) -> None:
    """Count the pictures of a page, which are held as texts and in the answer made of them."""
    size = 2 * sum(len(page.get(picture, "")) for picture in ("annotated", "image"))
    if account.taken + size > account.most:
        message = f"The pictures of {page['page']} pages are too large; ask for fewer pages"
        raise Problem("answer_too_large", message)
    account.take(size)


def _count(
    model: str, reading: PageReading, timings: Mapping[str, float], *, metrics: ServingMetrics
) -> None:
    metrics.pages.labels(model).inc()
    metrics.lines.labels(model).inc(len(reading.lines))
    metrics.reread_lines.labels(model).inc(reading.reread)
    for stage, seconds in timings.items():
        metrics.stage_seconds.labels(model, stage.removesuffix("_s")).observe(seconds)
    for line in reading.lines:
        metrics.confidence.labels(model).observe(line.confidence)


def _jpeg(image: Image) -> str:
    return base64.b64encode(encode_jpeg(image)).decode()


def _timed(work: Callable[[], Value]) -> tuple[Value, float]:
    started = time.perf_counter()
    return work(), time.perf_counter() - started
