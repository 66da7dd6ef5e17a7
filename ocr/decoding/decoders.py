"""The decoders of a process: as many as pages are read at once, lent to one thread each."""

import logging
import threading
from contextlib import suppress

from ocr.decoding.decoder import (
    BODY_BYTES,
    DecodedPage,
    Decoder,
    DecoderFailed,
    DecoderKilled,
    Document,
    memory_for,
)

LOG = logging.getLogger("ocrline.decoding")


class Decoders:
    """Decoders, safe to share between threads.

    A page of one document waits for another's page, never for the whole document: the decoder that
    holds it open is asked first, but any can open it again.
    """

    def __init__(
        self, count: int, *, max_pixels: int, timeout_s: float, max_bytes: int = BODY_BYTES
    ) -> None:
        """Start none yet.

        Args:
            count: How many.
            max_pixels: Of one page: what their memory is bounded by.
            timeout_s: For one page.
            max_bytes: Of one document, which bounds their memory too.
        """
        self._count = count
        self._memory_bytes = memory_for(max_pixels=max_pixels, max_bytes=max_bytes)
        self._timeout_s = timeout_s
        self._changed = threading.Condition()
        self._idle: list[Decoder] = []
        self._lent: dict[int, Decoder] = {}
        self._all: set[Decoder] = set()
        self._is_closed = False

    def start(self) -> None:
        """Start them, and say in the log what confines them."""
        with self._changed:
            self._idle = [self._new() for _ in range(self._count)]
        threading.Thread(target=self._introduce, name="decoders", daemon=True).start()

    def decode(self, document: Document, index: int = 0) -> DecodedPage:
        """Decode a page of a document; waits for a free decoder. Raises as `Decoder.decode`.

        A decoder that is killed, as where the machine lacks memory, says nothing of the document:
        another one tries it once more.
        """
        with suppress(DecoderKilled):
            page = self._decode(document, index)
            if not isinstance(page.outcome, DecoderKilled):
                return page
        return self._decode(document, index)

    def interrupt(self, document: Document) -> None:
        """End the decoder that decodes a page of a document now, if one does.

        That page is unreadable then, and whoever waits for it learns so.
        """
        with self._changed:
            if document.number in self._lent:
                self._lent[document.number].interrupt()

    def close(self) -> None:
        """Kill them all; a page that is being decoded is given up."""
        with self._changed:
            self._is_closed = True
            for decoder in self._all:
                decoder.kill()
            for decoder in self._idle:  # others close when they are given back
                decoder.close()
            self._changed.notify_all()

    def _decode(self, document: Document, index: int) -> DecodedPage:
        decoder = self._take(document)
        try:
            if decoder.is_worn:
                decoder = self._replaced(decoder)
            with self._changed:
                self._lent[document.number] = decoder
            return decoder.decode(document, index, timeout_s=self._timeout_s)
        finally:
            with self._changed:
                self._lent.pop(document.number, None)
            self._give_back(decoder)

    def _take(self, document: Document) -> Decoder:
        with self._changed:
            while not self._idle and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                raise DecoderFailed("The decoders are being closed")
            holders = [one for one in self._idle if one.holds == document.number]
            decoder = (holders or self._idle)[0]
            self._idle.remove(decoder)
            return decoder

    def _give_back(self, decoder: Decoder) -> None:
        """Make it free again; one that cannot be replaced now is when the next page wants it."""
        if decoder.is_worn:
            with suppress(DecoderFailed):
                decoder = self._replaced(decoder)
        with self._changed:
            self._idle.append(decoder)
            self._changed.notify()

    def _replaced(self, decoder: Decoder) -> Decoder:
        with self._changed:
            decoder.close()
            self._all.discard(decoder)
            return decoder if self._is_closed else self._new()

    def _new(self) -> Decoder:
        decoder = Decoder(memory_bytes=self._memory_bytes)
        self._all.add(decoder)
        return decoder

    def _introduce(self) -> None:
        with self._changed:
            if self._is_closed or not self._idle:
                return
            decoder = self._idle.pop()
        try:
            facts = decoder.confinement()
            LOG.info("%d decoders of documents: %s", self._count, ", ".join(facts))
        except DecoderFailed:
            LOG.exception("documents cannot be read")
        self._give_back(decoder)
