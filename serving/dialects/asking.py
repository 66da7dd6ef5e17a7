"""What a client of another server asks, read as our own routes read it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request

from serving.models.live_model import LiveModel, LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.rest.capacity import Capacity, while_wanted
from serving.rest.crops import CropReader
from serving.rest.documents.reader import DocumentReader
from serving.rest.documents.request import DocumentOptions
from serving.rest.inbox import Inbox


@dataclass(frozen=True)
class Asking:
    """What answering takes.

    Attributes:
        pool: Of models.
        inbox: Where bodies are received.
        pages: Places for documents.
        crops: Reads lines.
        reader: Reads documents.
    """

    pool: ModelPool
    inbox: Inbox
    pages: Capacity
    crops: CropReader
    reader: DocumentReader

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Receive the body, and answer in time.

        Their clients state its type wrongly, or not at all.

        Raises:
            Problem: It is empty, too large or too slow.
        """
        async with (
            self.inbox.body(request, file_types=()) as body,
            while_wanted(request, timeout_s=self.reader.limits.pages_timeout_s),
        ):
            yield body

    async def read_pages(
        self,
        live: LivePipeline,
        content: bytes,
        options: DocumentOptions,
        request: Request,
        *,
        max_pages: int,
    ) -> list[dict[str, Any]]:
        """Return the pages of a document.

        Args:
            live: What reads them.
            content: An image or a PDF.
            options: What is wanted.
            request: Whose document.
            max_pages: Most pages.

        Raises:
            Problem: All places are taken, it has more pages, or it cannot be read.
        """
        reader = replace(self.reader, limits=replace(self.reader.limits, pages=max_pages))
        try:
            with self.pages.place():
                return await reader.read(live, content, options, request)
        except Problem as problem:
            if problem.code != "too_many_pages":
                raise
            count = f"{max_pages} page{'s' * (max_pages > 1)}"
            message = f"More than {count}: send fewer at once, or say which at /v1/ocr?pages="
            raise Problem("too_many_pages", message) from None

    async def read_line(self, live: LiveModel, content: bytes, request: Request) -> dict[str, Any]:
        """Return text and confidence of an image of one line.

        Raises:
            Problem: All places are taken, or it cannot be read.
        """
        if not content:
            raise Problem("bad_image", "The image is empty")
        with self.crops.capacity.place():
            (read,) = await self.crops.read(live, [content], request)
        return read
