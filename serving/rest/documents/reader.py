"""Reads the pages of a document: decoded one by one, each read where there is a place for it."""

import base64
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from ocr.image.pdf import BadDocument, DocumentFault
from ocr.image.pixels import BadImage, Image, encode_jpeg
from ocr.reading.annotation import annotate_page
from ocr.reading.page_reader import PageReading
from serving.decoding.decoder import Document
from serving.decoding.page_feed import FedPage, PageFeed
from serving.metrics import ServingMetrics
from serving.models.live_model import LivePipeline
from serving.problems import Code, Problem
from serving.rest.body import Limits, bad_image
from serving.rest.budget import Account, Budget
from serving.rest.capacity import Capacity
from serving.rest.documents.request import DocumentOptions

Value = TypeVar("Value")

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
        capacity: Whose workers read.
        limits: Of a request.
        metrics: What is counted.
    """

    feed: PageFeed
    pixels: Budget
    capacity: Capacity
    limits: Limits
    metrics: ServingMetrics

    async def read(
        self, live: LivePipeline, content: bytes, options: DocumentOptions, *, pictures: Account
    ) -> list[dict[str, Any]]:
        """Return each page, as `serving.rest.documents.answer.PageAnswer` says.

        Args:
            live: What reads all of them.
            content: An image or a PDF.
            options: What is wanted.
            pictures: Holds the pictures of the answer.

        Raises:
            Problem: It cannot be decoded, or is larger than allowed.
        """
        document = Document(
            content,
            max_pixels=self.limits.image_pixels,
            max_pages=self.limits.pages,
            wanted=options.pages,
        )
        pages: list[dict[str, Any]] = []
        async with aclosing(_decode(self.feed, document)) as decoded:
            async for page in decoded:
                read = partial(
                    _read, live, page, options, number=len(pages) + 1, metrics=self.metrics
                )
                with self.pixels.account() as account:
                    account.take(page.image.shape[0] * page.image.shape[1])
                    pages.append(await self.capacity.run(read))
                _hold_pictures(pages[-1], pictures)
        return pages


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
