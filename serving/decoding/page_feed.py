"""Pages on their way to the engine: the next is decoded while one is read, in fair turns."""

import asyncio
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from ocr.decoding.decoder import DecodedPage, Document, PageCount, PageFault
from ocr.decoding.decoders import Decoders
from ocr.image.document import page_numbers
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, Image

HELD_PER_WORKER: Final = 2
"""Pages in memory for each that is read: that one, and one that comes after it."""

GRACE_S: Final = 0.5
"""A page that nobody waits for any more may take so long; then its decoder is ended, which costs
more processor time than most pages do."""

_Decoding = asyncio.Future[tuple[DecodedPage, float]]
_Upcoming = asyncio.Task[tuple[DecodedPage, float]]


@dataclass(frozen=True, eq=False)
class FedPage:
    """A decoded page, or what is wrong with it.

    Attributes:
        number: Of the page, from 1.
        page_count: How many pages its document has.
        outcome: (H, W, 3) BGR, or what is wrong with this page alone.
        decode_s: What that took.
    """

    number: int
    page_count: int
    outcome: Image | PageFault
    decode_s: float


class PageFeed:
    """Decodes pages for all documents inside.

    A document asks for one page at a time and queues again for the next, so that many documents
    come forward page by page, and one of one page waits for none of many.
    """

    def __init__(self, decoders: Decoders, *, workers: int) -> None:
        """Begin with no page; as many workers read pages as decode them."""
        self._decoders = decoders
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="decode")
        self._room = asyncio.Semaphore(HELD_PER_WORKER * workers)
        self._endings: set[asyncio.Task[None]] = set()

    async def pages(self, document: Document) -> AsyncGenerator[FedPage, None]:
        """Yield the pages of a document; close it (`aclosing`) if not all of them are wanted.

        Raises:
            BadDocument: As `Decoder.decode`, where not even the number of pages is known.
            BadImage: The same.
        """
        numbers = page_numbers(document.wanted)
        index = 0
        upcoming: _Upcoming | None = self._begin(document, index)
        try:
            while upcoming is not None:
                page, decode_s = await upcoming
                index, pages, upcoming = index + 1, page.pages, None
                try:
                    if index < pages.wanted:
                        upcoming = self._begin(document, index, pages)
                    yield FedPage(next(numbers), pages.there, page.outcome, decode_s)
                finally:
                    self._room.release()
        finally:
            if upcoming is not None:
                await self._forget(upcoming)

    def close(self) -> None:
        """Begin no more; the decoders must have been closed."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _begin(self, document: Document, index: int, pages: PageCount | None = None) -> "_Upcoming":
        return asyncio.create_task(self._decode(document, index, pages))

    async def _forget(self, upcoming: "_Upcoming") -> None:
        """Give up a page that nobody takes."""
        upcoming.cancel()
        (outcome,) = await asyncio.gather(upcoming, return_exceptions=True)
        if not isinstance(outcome, BaseException):
            self._room.release()

    async def _decode(
        self, document: Document, index: int, pages: PageCount | None
    ) -> tuple[DecodedPage, float]:
        """Decode a page, which then has its room in memory."""
        await self._room.acquire()
        decoding = self._threads.submit(self._timed, document, index)
        waiting = asyncio.wrap_future(decoding)
        try:
            return await asyncio.shield(waiting)
        except (BadDocument, BadImage) as fault:
            if pages:
                return DecodedPage(fault, pages), 0.0
            self._room.release()
            raise
        except asyncio.CancelledError:
            if decoding.cancel():
                self._room.release()
            else:
                waiting.add_done_callback(_ignore)
                self._keep(asyncio.create_task(self._end(document, waiting)))
            raise
        except BaseException:
            self._room.release()
            raise

    async def _end(self, document: Document, decoding: "_Decoding") -> None:
        """Have the room of a page that nobody waits for, as soon as nothing works on it."""
        while not (await asyncio.wait([decoding], timeout=GRACE_S))[0]:
            self._decoders.interrupt(document)
        self._room.release()

    def _keep(self, ending: asyncio.Task[None]) -> None:
        """Keep a reference: the loop has none."""
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    def _timed(self, document: Document, index: int) -> tuple[DecodedPage, float]:
        started = time.perf_counter()
        return self._decoders.decode(document, index), time.perf_counter() - started


def _ignore(decoding: _Decoding) -> None:
    decoding.exception()  # else the log would say that nobody asked
