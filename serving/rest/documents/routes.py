"""POST /v1/ocr: a document in, its lines out, each request answered by exactly one version."""

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from serving.models.model_pool import ModelPool
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.documents.answer import EXAMPLE, DocumentAnswer
from serving.rest.documents.reader import DocumentReader
from serving.rest.documents.request import (
    DOCUMENT_TYPES,
    DocumentJson,
    DocumentOptions,
    parse_document,
)
from serving.rest.inbox import Inbox
from serving.rest.openapi import BINARY, PROBLEMS, describe_request


def document_routes(
    pool: ModelPool, *, inbox: Inbox, capacity: Capacity, reader: DocumentReader
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
            while_wanted(request, timeout_s=reader.limits.pages_timeout_s),
        ):
            content, options = await asyncio.to_thread(
                parse_document,
                body,
                content_type=content_type,
                query=request.query_params,
                limits=reader.limits,
            )
            caller = request.state.caller
            caller.admit(options.model)
            live = pool.choose_pipeline(options.model, options.version, of=caller.models)
            pages = await reader.read(live, content, options, request)
        answer = {"model": live.name, "version": live.version, "pages": pages}
        text = "\n\n".join("\n".join(line["text"] for line in page["lines"]) for page in pages)
        return JSONResponse({"request_id": request.state.record.request_id, **answer, "text": text})

    return router
