"""Pages whose client has left: their room is had again when nothing works on them."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager

import numpy as np
import pytest

from ocr.decoding.decoder import DecodedPage, Document, PageCount
from ocr.decoding.decoders import Decoders
from serving.decoding.page_feed import GRACE_S, HELD_PER_WORKER, PageFeed

pytestmark = pytest.mark.anyio

PAGE = DecodedPage(np.zeros((4, 4, 3), np.uint8), pages=PageCount(there=1, wanted=1))


class SlowDecoders(Decoders):
    """Decode no page of a document with content before they are interrupted."""

    def __init__(self) -> None:
        self.interrupted = threading.Event()
        self.has_begun = threading.Event()
        self.decoded = 0

    def decode(self, document: Document, index: int = 0) -> DecodedPage:
        self.decoded += 1
        self.has_begun.set()
        if document.content:
            assert self.interrupted.wait(20)
        return PAGE

    def interrupt(self, document: Document) -> None:
        assert document.content
        self.interrupted.set()


@contextmanager
def feeding() -> Iterator[tuple[PageFeed, SlowDecoders]]:
    decoders = SlowDecoders()
    feed = PageFeed(decoders, workers=1)
    try:
        yield feed, decoders
    finally:
        decoders.interrupted.set()
        feed.close()


def document(content: bytes) -> Document:
    return Document(content, max_pixels=100)


async def first_page(feed: PageFeed, content: bytes) -> int:
    async with aclosing(feed.pages(document(content))) as pages:
        async for page in pages:
            return page.number
    raise AssertionError("no page")


async def test_page_that_is_decoded_for_nobody_is_interrupted_after_a_grace() -> None:
    with feeding() as (feed, decoders):
        asking = asyncio.create_task(first_page(feed, b"slow"))
        await asyncio.to_thread(decoders.has_begun.wait)

        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        assert not decoders.interrupted.is_set()
        assert await asyncio.wait_for(first_page(feed, b""), GRACE_S + 10) == 1
        assert decoders.interrupted.is_set()


async def test_page_that_no_decoder_has_begun_with_is_not_decoded_for_nobody() -> None:
    with feeding() as (feed, decoders):
        asking = [
            asyncio.create_task(first_page(feed, b"slow")) for _ in range(HELD_PER_WORKER + 3)
        ]
        await asyncio.to_thread(decoders.has_begun.wait)

        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

        assert await asyncio.wait_for(first_page(feed, b""), GRACE_S + 10) == 1
        assert decoders.decoded == 2


async def test_every_room_is_had_again() -> None:
    with feeding() as (feed, decoders):
        for _ in range(2 * HELD_PER_WORKER):
            asking = asyncio.create_task(first_page(feed, b"slow"))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        decoders.interrupted.set()

        for _ in range(2 * HELD_PER_WORKER):
            assert await asyncio.wait_for(first_page(feed, b""), 10) == 1
