"""Reads the pages of a document: decoded one by one, each read where there is a place for it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request

from ocr.image.pdf import BadDocument, DocumentFault
from ocr.image.pixels import BadImage
from serving.decoding.decoder import Document
from serving.decoding.page_feed import FedPage, PageFeed
from serving.metrics import ServingMetrics
from serving.models.live_model import LivePipeline
from serving.problems import Code, Problem
from serving.rest.body import Limits, bad_image
from serving.rest.budget import Account, Budget
from serving.rest.documents.request import DocumentOptions
from serving.workers.crew import Crew

FAULTS: Final[Mapping[DocumentFault, Code]] = {
    "unreadable": "bad_document",
    "encrypted": "encrypted_pdf",
    "too_large": "image_too_large",
    "too_many_pages": "too_many_pages",
    "too_slow": "too_slow",
}


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
        """Return each page, as `serving.rest.documents.answer.PageAnswer` says.

        Args:
            live: What reads all of them.
            content: An image or a PDF.
            options: What is wanted.
            request: Whose document.

        Raises:
            Problem: It cannot be decoded, or is larger than allowed.
        """
        document = Document(
            content,
            max_pixels=self.limits.image_pixels,
            max_pages=self.limits.pages,
            wanted=options.pages,
        )
        record, pages = request.state.record, list[dict[str, Any]]()
        record.note_model(live.name, live.version)
        async with aclosing(_decode(self.feed, document)) as decoded:
            async for page in decoded:
                with self.pixels.account() as account:
                    account.take(page.image.shape[0] * page.image.shape[1])
                    read = await self._read(live, page, options)
                pages.append({"page": len(pages) + 1, **read})
                _hold_pictures(pages[-1], request.state.pictures)
                record.items = len(pages)
        return pages

    async def _read(
        self, live: LivePipeline, decoded: FedPage, options: DocumentOptions
    ) -> dict[str, Any]:
        pictures = {"annotate": options.annotate, "render": options.render}
        page = await self.crew.read_page(live.key, decoded.image, pictures)
        timings = {"decode_s": decoded.decode_s, **page["timings"]}
        _count(live.name, page, timings, metrics=self.metrics)
        return {**page, "timings": {stage: round(s, 6) for stage, s in timings.items()}}


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


def _hold_pictures(page: Mapping[str, Any], account: Account) -> None:
    """Count the pictures of a page, which are held as texts and in the answer made of them."""
    size = 2 * sum(len(page.get(picture, "")) for picture in ("annotated", "image"))
    if account.taken + size > account.most:
        message = f"The pictures of {page['page']} pages are too large; ask for fewer pages"
        raise Problem("answer_too_large", message)
    account.take(size)


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
    for line in page["lines"]:
        metrics.confidence.labels(model).observe(line["confidence"])
