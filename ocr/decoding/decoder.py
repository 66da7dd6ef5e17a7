"""One decoder as its owner sees it: asked for a page, timed, killed."""

import itertools
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, get_args

import numpy as np

from ocr.image.document import ALL, PageRanges, page_numbers
from ocr.image.pdf import BadDocument, DocumentFault
from ocr.image.pixels import BadImage, Image, ImageFault
from ocr.wire import WireBroken, receive, receive_into, send

LOG = logging.getLogger("ocrline.decoding")

START_TIMEOUT_S: Final = 60.0
END_S: Final = 1.0
MOST_DOCUMENTS: Final = 500
"""So many later a decoder is replaced, whatever its libraries have leaked."""
BODY_BYTES: Final = 16 << 20
BASE_BYTES: Final = 256 << 20
"""A process with its libraries, and a file of BODY_BYTES in it twice."""
BYTES_A_PIXEL: Final = 24
"""Of 20 megapixels a WebP needs most: 480 MiB with the base; JPEG, PNG and TIFF 320 MiB."""
ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

PageFault = BadDocument | BadImage

_numbers = itertools.count()


@dataclass(frozen=True, eq=False)
class Document:
    """What was sent, and what is wanted of it.

    Attributes:
        content: Its bytes.
        max_pixels: As `ocr.image.document.read_pages` has it, like the others.
        max_pages: Most pages that may be asked for.
        wanted: Which pages, in ranges.
        number: Tells it from every other.
    """

    content: bytes
    max_pixels: int
    max_pages: int = 1
    wanted: PageRanges = ALL
    number: int = field(default_factory=lambda: next(_numbers))


@dataclass(frozen=True)
class PageCount:
    """How many pages a document has, and how many of them are wanted."""

    there: int
    wanted: int


@dataclass(frozen=True, eq=False)
class DecodedPage:
    """A page, or what is wrong with it, and how many its document has."""

    outcome: Image | PageFault
    pages: PageCount


class DecoderFailed(RuntimeError):
    """A decoder that does not start, or has a fault of ours."""


class DecoderKilled(BadDocument):
    """A decoder that was killed from outside, over a document that may be sound."""


def memory_for(*, max_pixels: int, max_bytes: int = BODY_BYTES) -> int:
    """Return how many bytes a decoder may have for pages of so many pixels in files of so many."""
    return BASE_BYTES + 2 * max(0, max_bytes - BODY_BYTES) + BYTES_A_PIXEL * max_pixels


class Decoder:
    """A process of `ocr.decoding.child`; one thread at a time may use it."""

    def __init__(self, *, memory_bytes: int) -> None:
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise DecoderFailed(f"A decoder does not start: {error}") from error
        self._connection = ours
        with theirs:
            descriptor = theirs.fileno()
            module = ["-m", "ocr.decoding.child", str(descriptor), str(memory_bytes)]
            try:
                self._process = subprocess.Popen(
                    [sys.executable, *module],
                    env={**ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[descriptor],
                    start_new_session=True,  # Ctrl-C is for its owner, who then ends it
                )
            except OSError as error:
                ours.close()
                raise DecoderFailed(f"A decoder does not start: {error}") from error
        self._facts: tuple[str, ...] = ()
        self._documents = 0
        self._is_interrupted = False
        self.holds = -1
        self._pages: PageCount | None = None  # of what it was asked for last; None: not opened yet

    @property
    def is_worn(self) -> bool:
        """Whether it is time for another."""
        has_ended = self._is_interrupted or self._process.poll() is not None
        return has_ended or self._documents >= MOST_DOCUMENTS

    def confinement(self) -> tuple[str, ...]:
        """Wait until it has started, and return what it cannot do.

        Raises:
            DecoderFailed: It does not start.
        """
        if not self._facts:
            try:
                hello = receive(self._connection, deadline=time.monotonic() + START_TIMEOUT_S)
            except (OSError, TimeoutError) as error:
                self.kill()
                raise DecoderFailed(f"A decoder does not start: {error}") from error
            self._facts = tuple(map(str, hello.get("confinement", ())))
        return self._facts

    def decode(self, document: Document, index: int, *, timeout_s: float) -> DecodedPage:
        """Decode a page of a document; killed, if that takes too long.

        Args:
            document: It.
            index: Of the page among those that are wanted.
            timeout_s: For this page.

        Returns:
            The page, or what is wrong with this one of a document that could be opened.

        Raises:
            BadDocument: As `ocr.image.document.read_pages`; unreadable too where the process
                crashed over it.
            BadImage: The same.
            DecoderKilled: The process was killed, and not by us.
            DecoderFailed: The process does not start, or has a fault of ours.
        """
        self.confinement()
        deadline = time.monotonic() + timeout_s
        try:
            self._ask(document, index, timeout_s=timeout_s)
            answer = receive(self._connection, deadline=deadline)
            if "page_count" in answer:
                self._pages = _pages(answer, document)
                answer = receive(self._connection, deadline=deadline)
            if self._pages and "height_px" in answer:
                image = self._receive_page(answer, document, deadline=deadline)
                return DecodedPage(image, self._pages)
            self.holds = -1
            fault = _to_error(answer)
        except TimeoutError:
            self.kill()
            message = f"Page {_number(document, index)} takes more than {timeout_s:g} s to decode"
            fault = BadDocument("too_slow", message)
        except (OSError, KeyError, TypeError, ValueError) as error:
            fault = self._blame(error, page=_number(document, index))
        if fault and self._pages:
            return DecodedPage(fault, self._pages)
        raise fault or DecoderFailed(str(answer.get("failure", answer)))

    def interrupt(self) -> None:
        """End it while another thread waits for its page, which is unreadable then."""
        self._is_interrupted = True
        self._process.send_signal(signal.SIGKILL)

    def kill(self) -> None:
        """End it, whatever it does."""
        if self._process.returncode is None and self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it and forget it."""
        self.kill()
        self._connection.close()

    def _ask(self, document: Document, index: int, *, timeout_s: float) -> None:
        is_new = self.holds != document.number
        self._documents += is_new
        self.holds = document.number
        self._pages = None if is_new else self._pages
        content = document.content if is_new else b""
        limits = {
            "max_pixels": document.max_pixels,
            "max_pages": document.max_pages,
            "wanted": document.wanted,
        }
        request = {
            "is_new": is_new,
            "index": index,
            "limits": limits,
            "timeout_s": timeout_s,
            "bytes": len(content),
        }
        self._connection.settimeout(timeout_s)
        send(self._connection, request, content)

    def _receive_page(
        self, answer: Mapping[str, Any], document: Document, *, deadline: float
    ) -> Image:
        height_px, width_px = (int(answer[key]) for key in ("height_px", "width_px"))
        if not 0 < height_px * width_px <= document.max_pixels:
            raise WireBroken(f"A page of {width_px} x {height_px} pixels")
        image = np.empty((height_px, width_px, 3), np.uint8)
        receive_into(self._connection, image.data.cast("B"), deadline=deadline)
        return image

    def _blame(self, error: Exception, *, page: int) -> BadDocument:
        """Make the refusal of a page over which the process ended, or talked nonsense."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(END_S)
        self.kill()
        how = f"exit code {code}" if code is None or code >= 0 else signal.Signals(-code).name
        LOG.warning("a decoder ended (%s) over a document: %r", how, error)
        is_foreign = code == -signal.SIGKILL and not self._is_interrupted
        fault = DecoderKilled if is_foreign else BadDocument
        return fault("unreadable", f"Page {page} is damaged so that its decoder ended ({how})")


def _number(document: Document, index: int) -> int:
    """Return the number of a page in its document, by its place among those that are wanted."""
    return next(itertools.islice(page_numbers(document.wanted), index, None))


def _pages(said: Mapping[str, Any], document: Document) -> PageCount:
    pages = PageCount(there=int(said["page_count"]), wanted=int(said["wanted"]))
    if not 0 < pages.wanted <= min(document.max_pages, pages.there):
        raise WireBroken(f"{pages.wanted} of {pages.there} pages")
    return pages


def _to_error(answer: Mapping[str, Any]) -> PageFault | None:
    """Make of a fault what `read_pages` raises in the process that calls it; None: it is none."""
    fault = answer.get("fault") or {}
    message = str(fault.get("message"))
    for image_fault in get_args(ImageFault):
        if (fault.get("kind"), fault.get("reason")) == ("BadImage", image_fault):
            return BadImage(image_fault, message)
    for document_fault in get_args(DocumentFault):
        if fault.get("reason") == document_fault:
            return BadDocument(document_fault, message)
    return None
