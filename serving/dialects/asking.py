"""What a client of another server asks, read as our own routes read it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import Request

from ocr.errors import ProcessDied
from serving.models.live_model import LiveModel, LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.crop_request import decode_crop
from serving.rest.crops import recognise_crops
from serving.rest.documents.reader import DocumentReader
from serving.rest.documents.request import DocumentOptions
from serving.rest.inbox import Inbox

ANYTHING = ("*",)
"""Their clients state the type of a body wrongly, or not at all."""


@dataclass(frozen=True)
class Asking:
    """What answering takes.

    Attributes:
        pool: Of models.
        inbox: Where bodies are received.
        crops, pages: Places and workers for lines and for pages.
        reader: Reads documents.
    """

    pool: ModelPool
    inbox: Inbox
    crops: Capacity
    pages: Capacity
    reader: DocumentReader

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Receive the body, whatever type it says, and answer in time.

        Raises:
            Problem: It is empty, too large or too slow, or no engine answers.
        """
        try:
            async with (
                self.inbox.body(request, file_types=ANYTHING) as body,
                while_wanted(request, timeout_s=self.reader.limits.pages_timeout_s),
            ):
                yield body
        except ProcessDied as error:
            raise Problem("not_ready", f"{error}; it is replaced, ask again") from None

    async def read_pages(
        self, live: LivePipeline, content: bytes, options: DocumentOptions, request: Request
    ) -> list[dict[str, Any]]:
        """Return the pages of a document.

        Raises:
            Problem: All places are taken, or it cannot be read.
        """
        async with self.pages.place():
            return await self.reader.read(live, content, options, pictures=request.state.pictures)

    async def read_line(self, live: LiveModel, content: bytes) -> dict[str, Any]:
        """Return text and confidence of an image of one line.

        Raises:
            Problem: All places are taken, or it cannot be read.
        """
        async with self.crops.place():
            return await self.crops.run(partial(self._read_line, live, content))

    def _read_line(self, live: LiveModel, content: bytes) -> dict[str, Any]:
        limits = self.reader.limits
        with self.reader.pixels.account() as account:
            image = decode_crop(content, index=0, limits=limits, pixels_left=limits.image_pixels)
            account.take(image.shape[0] * image.shape[1])
            (read,) = recognise_crops(live, [image], metrics=self.reader.metrics)
        return read
