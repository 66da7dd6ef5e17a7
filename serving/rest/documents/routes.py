"""POST /v1/ocr: a document in, its lines out, each request answered by exactly one version."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response
from starlette.types import Send

from ocr.errors import ProcessDied
from serving.models.live_model import LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Problem, answer_of, lost_engine
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.documents.answer import EXAMPLE, DocumentAnswer
from serving.rest.documents.json_lines import JSON_LINES, JsonLines, LateResponse
from serving.rest.documents.reader import DocumentReader, take_pictures
from serving.rest.documents.request import (
    DOCUMENT_TYPES,
    DocumentJson,
    DocumentOptions,
    parse_document,
)
from serving.rest.inbox import Inbox
from serving.rest.openapi import BINARY, PROBLEMS, describe_request


@dataclass(frozen=True)
class Opened:
    """A document, what is wanted of it, and what reads it."""

    content: bytes
    options: DocumentOptions
    live: LivePipeline


@dataclass(frozen=True)
class DocumentEndpoint:
    """What answering takes.

    Attributes:
        pool: Of models.
        inbox: Where bodies are received.
        capacity: Places for documents.
        reader: Reads them.
    """

    pool: ModelPool
    inbox: Inbox
    capacity: Capacity
    reader: DocumentReader

    async def write(self, request: Request, send: Send) -> Response | None:
        """Answer a request: with what is returned, or with lines that have been sent."""
        lines = JsonLines(send)
        try:
            async with self._opened(request) as opened:
                head = {
                    "request_id": request.state.record.request_id,
                    "model": opened.live.name,
                    "version": opened.live.version,
                }
                if opened.options.format != "ndjson":
                    pages = await self.reader.read(
                        opened.live, opened.content, opened.options, request
                    )
                    return _to_response(head, pages)
                await self._send_pages(opened, head, request, lines)
        except (Problem, ProcessDied) as error:
            if not lines.has_started:
                raise
            problem = error if isinstance(error, Problem) else lost_engine(error)
            request.state.record.code = problem.code
            await lines.write(answer_of(problem, request_id=request.state.record.request_id))
        await lines.end()
        return None

    @asynccontextmanager
    async def _opened(self, request: Request) -> AsyncIterator[Opened]:
        """Receive a document, and hold a place for it.

        Raises:
            Problem: There is no place, no model, or no answer in time.
        """
        content_type = request.headers.get("content-type", "")
        async with (
            self.inbox.body(request, file_types=DOCUMENT_TYPES) as body,
            self.capacity.place(),
            while_wanted(request, timeout_s=self.reader.limits.pages_timeout_s),
        ):
            content, options = await asyncio.to_thread(
                parse_document,
                body,
                content_type=content_type,
                query=request.query_params,
                limits=self.reader.limits,
            )
            caller = request.state.caller
            caller.admit(options.model)
            live = self.pool.choose_pipeline(options.model, options.version, of=caller.models)
            yield Opened(content, options, live)

    async def _send_pages(
        self, opened: Opened, head: dict[str, Any], request: Request, lines: JsonLines
    ) -> None:
        """Send each page as soon as it is read; its pictures are held until it is taken."""
        pages = self.reader.pages(opened.live, opened.content, opened.options, request)
        async with aclosing(pages):
            async for page in pages:
                taken = take_pictures(page, request.state.pictures)
                await lines.write({**head, **page})
                request.state.pictures.give_back(taken)


def document_routes(endpoint: DocumentEndpoint) -> APIRouter:
    """Make the route."""
    router = APIRouter()
    contents = {
        "application/json": {"example": EXAMPLE},
        JSON_LINES: {"schema": {"type": "string"}},
    }

    @router.post(
        "/v1/ocr",
        summary="Read a page, or the pages of a PDF or TIFF; of an animation the first frame",
        response_model=DocumentAnswer,
        responses={200: {"content": contents}, **PROBLEMS},
        openapi_extra=describe_request(
            types=DOCUMENT_TYPES,
            parts={"document": BINARY},
            fields=DocumentJson,
            query=DocumentOptions,
        ),
    )
    async def read_document(request: Request) -> Response:
        return LateResponse(request, endpoint.write)

    return router


def _to_response(head: dict[str, Any], pages: list[dict[str, Any]]) -> JSONResponse:
    texts = ("\n".join(line["text"] for line in page.get("lines", ())) for page in pages)
    return JSONResponse({**head, "pages": pages, "text": "\n\n".join(texts)})
