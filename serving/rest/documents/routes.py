"""POST /v1/ocr: a document in, its lines out, each request answered by exactly one version."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response
from starlette.types import Send

from ocr.errors import ProcessDied
from serving.models.live_model import LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Problem, answer_of, cut_off, lost_engine
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.documents.answer import EXAMPLE, DocumentAnswer
from serving.rest.documents.hocr import write_hocr
from serving.rest.documents.json_lines import JSON_LINES, JsonLines, LateResponse
from serving.rest.documents.reader import DocumentReader, hold
from serving.rest.documents.request import (
    DOCUMENT_TYPES,
    DocumentJson,
    DocumentOptions,
    Format,
    parse_document,
)
from serving.rest.documents.searchable_pdf import write_searchable_pdf
from serving.rest.inbox import Inbox
from serving.rest.openapi import BINARY, READING, ErrorAnswer, describe_request, problems

HOCR: Final = "text/vnd.hocr+html"
PDF: Final = "application/pdf"
READ_BY: Final = "x-model"
NAMES_READER: Final = {
    READ_BY: {
        "description": "Model and version, as receipts:c2a41f9d7e05; of ndjson each line has them",
        "schema": {"type": "string"},
    }
}

Head = dict[str, str]
"""Id of the request, model and version."""
Pages = list[dict[str, Any]]


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
            return await self._write(request, lines)
        finally:
            lines.give_up()

    async def _write(self, request: Request, lines: JsonLines) -> Response | None:
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
                    to_response = RESPONSES[opened.options.format]
                    response = await asyncio.to_thread(to_response, head, pages)
                    response.headers.update(name_reader(opened.live))
                    return response
                await self._put_pages(opened, head, request, lines)
        except (Problem, ProcessDied, asyncio.CancelledError) as error:
            if not lines.has_begun:
                raise
            problem = _problem_of(error)
            request.state.record.code = problem.code
            lines.put(answer_of(problem, request_id=request.state.record.request_id))
        await lines.end()
        return None

    @asynccontextmanager
    async def _opened(self, request: Request) -> AsyncIterator[Opened]:
        """Receive a document, and hold a place for it.

        Raises:
            Problem: There is no place, no model, or no answer in time.
        """
        content_type = request.headers.get("content-type", "")
        async with self.inbox.body(request, file_types=DOCUMENT_TYPES) as body:
            with self.capacity.place():
                async with while_wanted(request, timeout_s=self.reader.limits.pages_timeout_s):
                    content, options = await asyncio.to_thread(
                        parse_document,
                        body,
                        content_type=content_type,
                        query=request.query_params,
                        limits=self.reader.limits,
                    )
                    caller = request.state.caller
                    caller.admit(options.model)
                    live = self.pool.choose_pipeline(
                        options.model, options.version, of=caller.models
                    )
                    yield Opened(content, options, live)

    async def _put_pages(
        self, opened: Opened, head: Head, request: Request, lines: JsonLines
    ) -> None:
        """Have each page sent as soon as it is read; it is held until it is taken."""
        answer = request.state.answer
        pages = self.reader.pages(opened.live, opened.content, opened.options, request)
        async with aclosing(pages):
            async for page in pages:
                size = hold(page, answer)
                lines.put({**head, **page}, on_sent=partial(answer.give_back, size))


def name_reader(live: LivePipeline) -> dict[str, str]:
    """Return the header of an answer that says what read the document."""
    return {READ_BY: f"{live.name}:{live.version}"}


def document_routes(endpoint: DocumentEndpoint) -> APIRouter:
    """Make the route."""
    router = APIRouter(tags=[READING])
    contents = {
        "application/json": {"example": EXAMPLE},
        **{kind: {"schema": {"type": "string"}} for kind in (JSON_LINES, HOCR)},
        PDF: {"schema": BINARY},
    }

    @router.post(
        "/v1/ocr",
        summary="Read a page, or the pages of a PDF or TIFF; of an animation the first frame",
        response_model=DocumentAnswer,
        responses={
            200: {"content": contents, "headers": NAMES_READER},
            **problems(ErrorAnswer),
        },
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


def _problem_of(error: BaseException) -> Problem:
    """Return what the last line of an answer says, where something ends it before its time."""
    if isinstance(error, Problem):
        return error
    return lost_engine(error) if isinstance(error, ProcessDied) else cut_off()


def _to_json(head: Head, pages: Pages) -> Response:
    texts = ("\n".join(line["text"] for line in page.get("lines", ())) for page in pages)
    page_count, *_ = [page.pop("page_count") for page in pages]
    text = "\n\n".join(texts)
    return JSONResponse({**head, "page_count": page_count, "pages": pages, "text": text})


def _to_hocr(head: Head, pages: Pages) -> Response:
    model = f"{head['model']}:{head['version']}"
    return Response(write_hocr(pages, title=head["request_id"], model=model), media_type=HOCR)


def _to_pdf(head: Head, pages: Pages) -> Response:  # noqa: ARG001 - what the others tell of it
    pictures = [b64decode(page["image"]) for page in pages]
    return Response(write_searchable_pdf(pages, pictures), media_type=PDF)


RESPONSES: Final[Mapping[Format, Callable[[Head, Pages], Response]]] = {
    "json": _to_json,
    "hocr": _to_hocr,
    "pdf": _to_pdf,
}
