"""Reads the pages of a document: decoded one by one, each read where there is a place for it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request

from ocr.decoding.decoder import Document, PageFault
from ocr.image.document import page_numbers
from ocr.image.pdf import BadDocument, DocumentFault
from ocr.image.pixels import BadImage, Image
from serving.decoding.page_feed import FedPage, PageFeed
from serving.metrics import ServingMetrics
from serving.models.live_model import LivePipeline
from serving.problems import Code, Problem, error_of
from serving.rest.body import Limits, bad_image
from serving.rest.budget import Account, Budget
from serving.rest.documents.request import DocumentOptions, parse_ranges
from serving.workers.crew import Crew

FAULTS: Final[Mapping[DocumentFault, Code]] = {
    "unreadable": "bad_document",
    "encrypted": "encrypted_pdf",
    "too_large": "image_too_large",
    "too_many_pages": "too_many_pages",
    "no_such_page": "unknown_page",
    "too_slow": "too_slow",
}

SMALLER: Final = "scale it down, or send it in a PDF, whose pages are drawn as large as may be"

BYTES_A_TEXT: Final = 1500
"""What a line or a word with its polygon takes: twelve objects, and its JSON twice."""


@dataclass(frozen=True)
class DocumentReader:
    """What reading a document takes.

    Attributes:
        feed: Decodes pages, in turns.
        pixels: What all pages in memory share.
        crew: Whose workers read.
        limits: Of a request.
        metrics: What is counted.
    """

    feed: PageFeed
    pixels: Budget
    crew: Crew
    limits: Limits
    metrics: ServingMetrics

    async def read(
        self, live: LivePipeline, content: bytes, options: DocumentOptions, request: Request
    ) -> list[dict[str, Any]]:
        """Return all pages, held until the request is over; else as `pages`."""
        found = []
        async with aclosing(self.pages(live, content, options, request)) as pages:
            async for page in pages:
                hold(page, request.state.answer)
                found.append(page)
        return found

    async def pages(
        self, live: LivePipeline, content: bytes, options: DocumentOptions, request: Request
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield each page, as `serving.rest.documents.answer` says.

        Args:
            live: What reads all of them.
            content: An image or a PDF.
            options: What is wanted.
            request: Whose document.

        Raises:
            Problem: It cannot be decoded, or is larger than allowed.
        """
        record = request.state.record
        record.note_model(live.name, live.version)
        document = Document(
            content,
            max_pixels=self.limits.image_pixels,
            max_pages=self.limits.pages,
            wanted=parse_ranges(options.pages),
        )
        first = next(page_numbers(document.wanted))
        async with aclosing(self.feed.pages(document)) as decoded:
            try:
                async for page in decoded:
                    answer = await self._answer(live, page, options)
                    yield answer
                    record.items += "error" not in answer
            except BadImage as error:  # its first page cannot even be counted
                raise _refusal(error, number=first) from None
            except BadDocument as error:
                raise Problem(FAULTS[error.reason], str(error)) from None

    async def _answer(
        self, live: LivePipeline, page: FedPage, options: DocumentOptions
    ) -> dict[str, Any]:
        image, place = page.outcome, {"page": page.number, "page_count": page.page_count}
        if isinstance(image, (BadDocument, BadImage)):
            problem = _refusal(image, number=page.number)
            if not options.partial:
                raise problem
            return {**place, "error": error_of(problem)}
        with self.pixels.account() as account:
            account.take(image.shape[0] * image.shape[1])
            read = await self._read(live, image, options, decode_s=page.decode_s)
        return {**place, **read}

    async def _read(
        self, live: LivePipeline, image: Image, options: DocumentOptions, *, decode_s: float
    ) -> dict[str, Any]:
        page = await self.crew.read_page(live.key, image, options.wanted)
        timings = {"decode_s": decode_s, **page["timings"]}
        _count(live.name, page, timings, metrics=self.metrics)
        return {**page, "timings": {stage: round(s, 6) for stage, s in timings.items()}}


def hold(page: Mapping[str, Any], answer: Account) -> int:
    """Count what a page takes in memory, as values and in the answer made of them.

    Returns:
        Its bytes.

    Raises:
        Problem: It, with those before it, is too large.
    """
    lines = [*page.get("lines", ()), *page.get("set_aside", ())]
    texts = len(lines) + sum(len(line.get("words", ())) for line in lines)
    pictures = sum(len(page.get(picture, "")) for picture in ("annotated", "image"))
    size = BYTES_A_TEXT * texts + 2 * pictures
    if answer.taken + size > answer.most:
        message = f"The answer up to page {page['page']} is too large; ask for fewer pages"
        raise Problem("answer_too_large", message)
    answer.take(size)
    return size


def _refusal(error: PageFault, *, number: int) -> Problem:
    if isinstance(error, BadImage):
        return bad_image(error, what=f"Page {number}", index=number - 1, instead=SMALLER)
    return Problem(FAULTS[error.reason], str(error), index=number - 1)


def _count(
    model: str,
    page: Mapping[str, Any],
    timings: Mapping[str, float],
    *,
    metrics: ServingMetrics,
) -> None:
    metrics.pages.labels(model).inc()
    metrics.lines.labels(model).inc(len(page["lines"]))
    metrics.reread_lines.labels(model).inc(page["reread"])
    for stage, seconds in timings.items():
        metrics.stage_seconds.labels(model, stage.removesuffix("_s")).observe(seconds)
    texts = (*page["lines"], *page["set_aside"])
    metrics.observe_texts(model, (text["confidence"] for text in texts))
